"""The program behind the scripted agent: does what the scenario says for this task and attempt.

A scenario is YAML: task key → list of attempts → list of steps. The last attempt is repeated.

    T001:
      - - say: reading the code
        - write: {path: greet.py, text: "def greet(): ..."}
      - - replace: {path: greet.py, old: "...", new: "return 'hello'"}
        - exit: 0

Steps: say, write, append, replace, delete, resolve (takes both sides of every conflict), run, pause, exit.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MARK = "[scripted]"
_CONFLICT = re.compile(
    r"^<<<<<<< [^\n]*\n(.*?)(?:^\|{7}[^\n]*\n.*?)?^=======\n(.*?)^>>>>>>> [^\n]*\n", re.DOTALL | re.MULTILINE
)


def _say(text: str) -> None:
    print(f"{MARK} {text}", flush=True)


def _write(path: str, text: str) -> None:
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    _say(f"wrote {path}")


def _append(path: str, text: str) -> None:
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text)
    _say(f"appended to {path}")


def _replace(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    if old not in text:
        _say(f"{path} does not contain {old!r}")
        sys.exit(3)
    Path(path).write_text(text.replace(old, new), encoding="utf-8")
    _say(f"changed {path}")


def _delete(path: str) -> None:
    Path(path).unlink()
    _say(f"deleted {path}")


def _resolve(path: str) -> None:
    """Keeps both sides of every conflict, in order."""
    text = Path(path).read_text(encoding="utf-8")
    Path(path).write_text(_CONFLICT.sub(r"\1\2", text), encoding="utf-8")
    _say(f"brought both sides of {path} together")


def _run(command: str) -> None:
    _say(f"$ {command}")
    subprocess.run(command, shell=True, check=False)


def _prompt() -> bytes:
    """On standard input; who works in a window has it in a file, as nobody would end what is typed there."""
    if sys.stdin.isatty():
        return Path(os.environ["TORYO_PROMPT"]).read_bytes()
    return sys.stdin.buffer.read()


STEPS: dict[str, Callable[[Any], None]] = {
    "say": _say,
    "write": lambda given: _write(given["path"], given["text"]),
    "append": lambda given: _append(given["path"], given["text"]),
    "replace": lambda given: _replace(given["path"], given["old"], given["new"]),
    "delete": _delete,
    "resolve": _resolve,
    "run": _run,
    "pause": lambda seconds: time.sleep(float(seconds)),
    "exit": lambda code: sys.exit(int(code)),
}


def main(scenario: str, task: str, attempt: int) -> None:
    from ruamel.yaml import YAML

    if not scenario:
        _say("no scenario is configured: set [agents.scripted] scenario in .toryo/config.toml")
        sys.exit(78)
    prompt = _prompt()
    _say(f"{task}, attempt {attempt}: {len(prompt)} bytes of prompt")
    attempts = YAML(typ="safe").load(Path(scenario).read_text(encoding="utf-8")).get(task)
    if not attempts:
        _say(f"the scenario says nothing about {task}")
        sys.exit(78)
    for step in attempts[min(attempt, len(attempts)) - 1] or ():
        for name, given in step.items():
            STEPS[name](given)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
