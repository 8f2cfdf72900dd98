"""Tasks for real agents, and what their runs left behind."""

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import AGENTS, WHY_SKIPPED, AgentHome, installed_programs
from tests.support.repositories import Done, Repo, until

PROGRAMS = installed_programs()
needs_programs = pytest.mark.skipif(PROGRAMS is None, reason=f"not tried: {', '.join(AGENTS)}: {WHY_SKIPPED}")
needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed here")

EVERY_AGENT = [pytest.param(name, marks=pytest.mark.timeout(400)) for name in AGENTS]
"""The slowest of them takes 20 seconds to start, and minutes where several tests do that at once."""

NASTY = "-- \"two\" 'one' $HOME ${X} `date` \\ \\n \\\\ é 日本語 漢字 🦊 👩‍💻 %s {a} <b> #c ! ~ * ?\n-n -p --help\n\n"
"""Whatever shells, terminals and argument parsers like to change."""


def told(key: str, *lines: str, agent: str = "claude", **more: Any) -> dict[str, Any]:
    """A task whose description says what the model does, line by line: `write a.txt x`, `think 5`, …"""
    script = "\n".join(f"MODEL: {line}" for line in lines)
    return {"key": key, "title": f"Task {key}", "agent": agent, "description": f"Do it.\n{script}\n", **more}


def told_each_time(key: str, *lines: str, agent: str = "claude", **more: Any) -> dict[str, Any]:
    """The same script for every attempt: acceptance criteria are repeated where the conversation goes on."""
    script = "\n".join(f"MODEL: {line}" for line in lines)
    return {"key": key, "title": f"Task {key}", "agent": agent, "acceptance": [f"it works\n{script}"], **more}


def run_crew(repo: Repo, *tasks: Mapping[str, Any], **top: Any) -> Done:
    """As `repo.run`, with the patience that the slowest agents need."""
    return repo.toryo("run", "--plan", str(repo.plan(*tasks, **top)), "--yes", timeout=350)


# ── what happened ────────────────────────────────────────────────────────────


def task_of(repo: Repo, key: str = "A") -> dict[str, Any]:
    data: dict[str, Any] = repo.info(key)["task"]
    return data


def runs_of(repo: Repo, key: str = "A") -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = task_of(repo, key)["runs"]
    return runs


def session_of(repo: Repo) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(repo.toryo("info", "--json").out)["session"]
    return data


def record_of(repo: Repo, run: Mapping[str, Any]) -> Path:
    return repo.store / "runs" / str(run["id"])


def prompt_of(repo: Repo, run: Mapping[str, Any]) -> str:
    return (record_of(repo, run) / "prompt.md").read_bytes().decode()


def inbox_of(repo: Repo) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(repo.toryo("inbox", "--json").out)["items"]
    return items


def states_of(repo: Repo) -> dict[str, str]:
    return {key: task["state"] for key, task in repo.tasks().items()}


def happened(repo: Repo, *kinds: str) -> list[dict[str, Any]]:
    return [event for event in repo.events() if event["kind"] in kinds]


# ── runs at work ─────────────────────────────────────────────────────────────


def begun(repo: Repo, key: str = "A", number: int = 1) -> dict[str, Any]:
    """Waits until the task's run of this number has been started."""

    def run() -> dict[str, Any] | None:
        task = repo.tasks().get(key) if (repo.store / "journal.db").exists() and repo.status()["sessions"] else None
        runs = runs_of(repo, key) if task else []
        return runs[number - 1] if len(runs) >= number and runs[number - 1]["started_at"] else None

    found: dict[str, Any] = until(run)
    return found


def ended(process: subprocess.Popen[str], timeout: float = 120) -> str:
    """All that a command in the background printed, once it is over."""
    out, err = process.communicate(timeout=timeout)
    return f"exit {process.returncode}\n--- stdout\n{out}\n--- stderr\n{err}"


def agent_process(repo: Repo, run: Mapping[str, Any], program: str) -> int:
    """The pid of the agent itself, below the run's wrapper."""

    def find() -> int | None:
        below = _descendants(int(run["pid"]))
        named = [pid for pid in below if _names(pid, program)]
        return named[-1] if named else None

    found: int = until(find)
    return found


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (child, *_descendants(child))]


def _names(pid: int, program: str) -> bool:
    try:
        argv = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return Path(os.fsdecode(argv[0])).name == program


def send(pid: int, number: signal.Signals) -> None:
    os.kill(pid, number)


# ── tmux ─────────────────────────────────────────────────────────────────────


def tmux(repo: Repo, *args: str, server: Iterable[str] = ("-L", "toryo"), check: bool = True) -> str:
    done = subprocess.run(
        ["tmux", "-u", *server, *args],
        env={name: value for name, value in repo.environ.items() if name != "TMUX"},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=30,
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


def window_of(repo: Repo, run: Mapping[str, Any]) -> dict[str, Any]:
    """Where the run can be seen, as soon as that is noted."""
    note = record_of(repo, run) / "window"
    until(note.exists)
    data: dict[str, Any] = json.loads(note.read_text())
    return data


def shown_in(repo: Repo, pane: str) -> str:
    return tmux(repo, "capture-pane", "-p", "-J", "-t", pane, check=False)


# ── troubles ─────────────────────────────────────────────────────────────────


def make_subscriber(repo: Repo) -> None:
    """Claude heeds the headers about a subscription's used-up hours only for a subscriber."""
    repo.environ["CLAUDE_CODE_OAUTH_TOKEN"] = repo.environ.pop("ANTHROPIC_AUTH_TOKEN")


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


# ── the person's own ─────────────────────────────────────────────────────────

PRICED = ("claude", "opencode")
"""Agents that say what a run cost."""

_SETTINGS = (
    ".claude/settings.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".gemini/trustedFolders.json",
    ".config/opencode/opencode.json",
)


def settings_in(home: AgentHome) -> dict[str, str | None]:
    """The person's own settings of every agent; of Claude's state, whom it trusts."""
    files = {name: home.path / name for name in _SETTINGS}
    found = {name: path.read_text() if path.exists() else None for name, path in files.items()}
    state = json.loads((home.path / ".claude.json").read_text())
    trusted = [name for name, known in state.get("projects", {}).items() if known.get("hasTrustDialogAccepted")]
    return {**found, "trusted by claude": json.dumps(trusted)}


def assert_untouched(repo: Repo) -> None:
    """Nothing is new in the person's repository but the branch with the result."""
    assert repo.git("status", "--porcelain") == ""
    assert repo.git("branch", "--format=%(refname:short)").split() == ["agent/the-plan", "main"]
    assert repo.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert {path.name for path in repo.path.iterdir()} <= {".git", ".worktrees", "README.md"}
    assert repo.files_on("main") == {"README.md"}
