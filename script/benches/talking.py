"""The REPL: commands from a pipe, the first prompt, and keys that are typed while ten thousand lines go by."""

import subprocess
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians
from benches.repositories import PYTHON, TORYO, environment, make_repository, run
from benches.terminals import Terminal, terminal

COMMANDS, LINES, KEYS = 1_000, 10_000, 40
LIMIT_COMMAND, LIMIT_PROMPT, LIMIT_KEY = 0.25, 3.0, 50.0

# The least that a line editor with the same library can do.
_BARE = """\
from prompt_toolkit import PromptSession
PromptSession().prompt("toryo> ")
"""


def measure(rounds: int, folder: Path) -> Report:
    env = {**environment(folder), "TERM": "xterm-256color"}
    repository = make_repository(folder / "repository", env)
    _fill(repository, folder, env)
    bare = folder / "bare.py"
    bare.write_text(_BARE)
    script = "/tasks\n" * COMMANDS
    for argv in ([str(bare)], [str(TORYO), "repl"]):
        _first_prompt([str(PYTHON), *argv], repository, env)  # once, so that every module is compiled

    def piped(_: int) -> float:
        took = milliseconds(lambda: _answers(repository, env, script))
        return took / COMMANDS

    one, each, floor, first = in_turns(
        rounds,
        (
            lambda _: milliseconds(lambda: run([str(PYTHON), str(TORYO), "tasks"], repository, env)),
            piped,
            lambda _: _first_prompt([str(PYTHON), str(bare)], repository, env),
            lambda _: _first_prompt([str(PYTHON), str(TORYO), "repl"], repository, env),
        ),
    )
    idle, busy = _keys(repository, env)
    shell, command = (
        Figure("toryo tasks, a process of its own", one),
        Figure(f"/tasks, one of {COMMANDS:,} piped", each),
    )
    least, prompt = Figure("first prompt of an empty line editor", floor), Figure("first prompt of toryo repl", first)
    calm, flooded = Figure("a key until it is seen", idle), Figure(f"the same while {LINES:,} lines go by", busy)
    return Report(
        f"a session whose agent printed {LINES:,} lines; keys on a pseudo-terminal",
        (shell, command, least, prompt, calm, flooded),
        (
            Target("a piped command to a process of its own", ratio_of_medians(command, shell), LIMIT_COMMAND, "×"),
            Target("first prompt to that of an empty line editor", ratio_of_medians(prompt, least), LIMIT_PROMPT, "×"),
            Target("a key while lines go by, median", flooded.median, LIMIT_KEY, "ms", busy),
        ),
    )


def _fill(repository: Path, folder: Path, env: dict[str, str]) -> None:
    plan = folder / "plan.yaml"
    loop = f"i=0; while [ $i -lt {LINES} ]; do echo line-$i; i=$((i+1)); done; echo a > a.txt"
    plan.write_text(f"title: Many lines\ntasks:\n  - {{key: A, title: Print, command: '{loop}'}}\n")
    run(
        [str(PYTHON), str(TORYO), "run", "--plan", str(plan), "--yes", "--quiet", "--host", "headless"], repository, env
    )


def _answers(repository: Path, env: dict[str, str], script: str) -> None:
    argv = [str(PYTHON), str(TORYO), "repl"]
    done = subprocess.run(argv, cwd=repository, env=env, input=script, capture_output=True, text=True, check=True)
    if (count := done.stdout.count("1 completed")) != COMMANDS:
        raise RuntimeError(f"{COMMANDS} commands got {count} answers")


# ── at a terminal ────────────────────────────────────────────────────────────


def _first_prompt(argv: list[str], where: Path, env: dict[str, str]) -> float:
    with terminal(argv, where, env) as shown:
        return milliseconds(lambda: shown.until(b"toryo>"))


def _keys(where: Path, env: dict[str, str]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """How long each of some keys took to be seen: with nothing else to show, then in the middle of a long answer."""
    with terminal([str(PYTHON), str(TORYO), "repl"], where, env) as shown:
        shown.until(b"toryo>")
        idle = tuple(_key(shown, "abcd"[place % 4]) for place in range(KEYS))
        shown.type("\x15/logs A\r")
        shown.until(b"line-10")
        busy = tuple(_key(shown, "WXYZ"[place % 4]) for place in range(KEYS))
        if f"line-{LINES - 1}".encode() in shown.seen:
            raise RuntimeError("all lines were shown before the keys were: nothing was measured")
    return idle, busy


def _key(shown: Terminal, key: str) -> float:
    return shown.press(key, key.encode())


BENCH = Bench(5, measure)
