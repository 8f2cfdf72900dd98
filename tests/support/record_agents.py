"""Records what the real agent programs print, for the tests of the adapters that read it.

Usage: python -m tests.support.record_agents [--agent NAME]... [--scenario NAME]...
Writes tests/adapters/recordings/AGENT/SCENARIO.jsonl (standard output), .stderr and .json (how it was run and ended);
for Codex also .rollout.jsonl, the events that it keeps of the conversation.
Folders of this machine become /work/..., the model server becomes MODEL_URL; all else is as it was printed.
"""

import argparse
import json
import os
import select
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.agent_programs import (
    AGENTS,
    WHY_SKIPPED,
    AgentHome,
    conversation_in,
    headless_command,
    installed_programs,
    make_agent_home,
)
from tests.support.agent_scenarios import SCENARIOS, Scenario
from tests.support.model_server import ModelServer
from tests.support.repositories import Repo

RECORDINGS = Path(__file__).parents[1] / "adapters" / "recordings"
MODEL_URL = "http://127.0.0.1:8899"
_LONGEST = 60.0
_GRACE = 10.0
_RESET_IN = 3 * 3600


_FEW_RETRIES_ENVIRON = {"claude": {"CLAUDE_CODE_MAX_RETRIES": "2"}}
_FEW_RETRIES_FLAGS = {
    "codex": [
        "-c",
        "model_providers.local.request_max_retries=1",
        "-c",
        "model_providers.local.stream_max_retries=1",
    ]
}
_UNKNOWN = {
    "claude": str(uuid.UUID(int=1)),
    "codex": str(uuid.UUID(int=1)),
    "gemini": str(uuid.UUID(int=1)),
    "opencode": "ses_00000000000000000000000000",
}


@dataclass(frozen=True, slots=True)
class Recording:
    output: str
    errors: str
    facts: Mapping[str, Any]
    rollout: str


def record(agent: str, scenario: Scenario, programs: Path) -> Recording:
    with tempfile.TemporaryDirectory(prefix="recording-") as name, ModelServer() as server:
        base = Path(name).resolve()
        url = "http://127.0.0.1:9" if scenario.model_is_down else server.url
        home = make_agent_home(base / "home", url, programs, claude_subscriber=scenario.claude_subscriber)
        tree = _make_tree(base, home)
        fifo = base / "started"
        os.mkfifo(fifo)
        reset = int(time.time()) + _RESET_IN
        script = scenario.script.replace("{tree}", str(tree)).replace("{fifo}", str(fifo))
        command, extra = _command(agent, scenario, home, tree)
        began = time.monotonic()
        process = _start(command, home, tree, extra)
        ended = _feed_and_wait(process, script.replace("{reset}", str(reset)), scenario, fifo)
        facts = {
            "agent": agent,
            "scenario": scenario.name,
            "argv": command,
            "environ": extra,
            "prompt": scenario.script,
            "reset": reset if "{reset}" in scenario.script else None,
            "exit": process.returncode,
            "ended": ended.how,
            "seconds": round(time.monotonic() - began, 1),
            "model_requests": len([request for request in server.requests() if request.question]),
            "files": _new_files(tree),
        }
        hide = _Hiding(base, programs, server.url)
        return Recording(
            hide(ended.output), hide(ended.errors), json.loads(hide(json.dumps(facts))), hide(_rollout_events(home))
        )


def _make_tree(base: Path, home: AgentHome) -> Path:
    repo = Repo.make(base / "repo", {**home.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    repo.git("worktree", "add", "-q", "-b", "work", str(base / "tree"))
    return base / "tree"


def _command(agent: str, scenario: Scenario, home: AgentHome, tree: Path) -> tuple[list[str], dict[str, str]]:
    resume = _UNKNOWN[agent] if scenario.unknown_conversation else None
    if scenario.first_script:
        first = _start(headless_command(agent), home, tree, {})
        output, _ = first.communicate(scenario.first_script, timeout=_LONGEST)
        resume = conversation_in(output)
    command = headless_command(agent, resume=resume, full_auto=scenario.full_auto)
    flags = [*scenario.flags, *(_FEW_RETRIES_FLAGS.get(agent, []) if scenario.few_retries else [])]
    where = command.index("--json") if flags else len(command)
    extra = _FEW_RETRIES_ENVIRON.get(agent, {}) if scenario.few_retries else {}
    return [*command[:where], *flags, *command[where:]], extra


def _start(command: list[str], home: AgentHome, tree: Path, extra: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=tree,
        env={**home.environ, **extra},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )


@dataclass(frozen=True, slots=True)
class _Ended:
    output: str
    errors: str
    how: str


def _feed_and_wait(process: subprocess.Popen[str], prompt: str, scenario: Scenario, fifo: Path) -> _Ended:
    if scenario.terminated_when_busy:
        assert process.stdin
        process.stdin.write(prompt)
        process.stdin.close()
        process.stdin = None
        _wait_for_line(fifo)
        return _terminate(process, "SIGTERM while a command ran")
    try:
        output, errors = process.communicate(prompt, timeout=_LONGEST)
    except subprocess.TimeoutExpired:
        return _terminate(process, f"SIGTERM after {_LONGEST:.0f} s without an end")
    return _Ended(output, errors, "by itself")


def _wait_for_line(fifo: Path) -> None:
    descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        readable, _, _ = select.select([descriptor], [], [], _LONGEST)
        assert readable, "the agent ran no command"
    finally:
        os.close(descriptor)


def _terminate(process: subprocess.Popen[str], how: str) -> _Ended:
    """SIGTERM to the agent alone, to see how it ends; its children are ended in any case."""
    process.send_signal(signal.SIGTERM)
    try:
        output, errors = process.communicate(timeout=_GRACE)
    except subprocess.TimeoutExpired:
        how += ", then SIGKILL to its process group"
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
    return _Ended(output, errors, how)


def _new_files(tree: Path) -> list[str]:
    files = [str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()]
    return sorted(set(files) - {".git", "README.md"})


def _rollout_events(home: AgentHome) -> str:
    """The events of Codex's own record, without the model's input beside them."""
    files = sorted((home.path / ".codex" / "sessions").rglob("rollout-*.jsonl"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines(keepends=True)]
    return "".join(line for line in lines if json.loads(line)["type"] == "event_msg")


class _Hiding:
    """Takes what belongs to this machine out of a text."""

    def __init__(self, base: Path, programs: Path, url: str) -> None:
        self._pairs = (
            (str(base), "/work"),
            (str(base).replace("/", "-"), "-work"),
            (str(programs.parents[1]), "/work/agents"),
            (url, MODEL_URL),
            (url.removeprefix("http://"), MODEL_URL.removeprefix("http://")),
        )

    def __call__(self, text: str) -> str:
        for found, shown in self._pairs:
            text = text.replace(found, shown)
        return text


def _write(agent: str, scenario: Scenario, recording: Recording) -> None:
    folder = RECORDINGS / agent
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{scenario.name}.jsonl").write_text(recording.output, encoding="utf-8")
    (folder / f"{scenario.name}.stderr").write_text(recording.errors, encoding="utf-8")
    if recording.rollout:
        (folder / f"{scenario.name}.rollout.jsonl").write_text(recording.rollout, encoding="utf-8")
    facts = json.dumps(recording.facts, indent=2, ensure_ascii=False) + "\n"
    (folder / f"{scenario.name}.json").write_text(facts, encoding="utf-8")
    print(f"{agent:9} {scenario.name:30} exit {recording.facts['exit']} {recording.facts['seconds']} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.support.record_agents")
    parser.add_argument("--agent", action="append", choices=AGENTS)
    parser.add_argument("--scenario", action="append", choices=[scenario.name for scenario in SCENARIOS])
    chosen = parser.parse_args()
    programs = installed_programs()
    if programs is None:
        raise SystemExit(WHY_SKIPPED)
    wanted = [scenario for scenario in SCENARIOS if not chosen.scenario or scenario.name in chosen.scenario]

    def record_all(agent: str) -> None:
        for scenario in wanted:
            if agent in scenario.agents:
                _write(agent, scenario, record(agent, scenario, programs))

    with ThreadPoolExecutor(len(AGENTS)) as pool:
        list(pool.map(record_all, chosen.agent or AGENTS))


if __name__ == "__main__":
    main()
