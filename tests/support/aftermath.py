"""What has to hold after any fault: the session got to its end, and nothing was lost, doubled or left behind."""

import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.repositories import Repo, kill, processes_of, shell, until


def assert_nothing_lost(repo: Repo, *keys: str) -> None:
    """Every task is merged exactly once, with its file, and the person's checkout is as it was."""
    told = repo.status()
    session = told["sessions"][0]
    assert (session["state"], session["outcome"]) == ("closed", "COMPLETE"), repo.toryo("logs").out
    assert {task["key"]: task["state"] for task in told["tasks"]} == dict.fromkeys(keys, "integrated")
    assert set(keys) <= repo.files_on("agent/the-plan")
    subjects = Counter(repo.git("log", "--format=%s", "--first-parent", "main..agent/the-plan").splitlines())
    assert subjects == Counter(f"Merge {key}: Task {key}" for key in keys)
    assert repo.git("status", "--porcelain") == ""
    assert processes_of(repo.store) == []
    seqs = [event["seq"] for event in repo.events()]
    assert seqs == list(range(1, len(seqs) + 1))


def runs_of(repo: Repo, key: str = "A") -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = repo.info(key)["task"]["runs"]
    return runs


def held(key: str, gate: Path, command: str = "", **more: Any) -> dict[str, Any]:
    """A task that notes that it began, and ends when the gate is opened."""
    wait = f"touch {gate}.begun; until test -e {gate}; do sleep 0.02; done"
    return shell(key, f"{wait}; {command or f'echo {key} > {key}'}", **more)


def started(repo: Repo, gate: Path, *tasks: dict[str, Any], flags: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """A conductor whose held task is on record as working."""
    process = repo.start("run", "--plan", str(repo.plan(*tasks)), "--yes", *flags)
    until(Path(f"{gate}.begun").exists)
    until(lambda: runs_of(repo)[0]["state"] == "working")
    return process


def ended_unwatched(repo: Repo, gate: Path, *tasks: dict[str, Any]) -> Path:
    """The record of A's run, which ended after its conductor was killed."""
    process = started(repo, gate, *tasks)
    kill(process)
    gate.touch()
    record = repo.store / "runs" / runs_of(repo)[0]["id"]
    until(lambda: (record / "exit").exists() and not processes_of(repo.store))
    return record
