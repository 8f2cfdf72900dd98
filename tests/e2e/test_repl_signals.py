"""A script's dialogue that is interrupted, told to end, or killed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.instructions import planner, usual
from tests.support.repositories import Repo, marked_processes, shell, until
from tests.support.scripts import conductor_of, end_conductor, heard, talking, tell


@pytest.fixture(autouse=True)
def nobody_left(repo: Repo) -> Iterator[None]:
    yield
    end_conductor(repo)


@pytest.fixture
def gate(repo: Repo) -> Path:
    return repo.path.parent / "gate"


def _slow(repo: Repo, gate: Path, before: str = "") -> str:
    path = repo.path.parent / "slow.json"
    task = shell("A", f"{before}until test -e {gate}; do sleep 0.05; done; echo 1 > one")
    path.write_text(json.dumps({"title": "slow", "tasks": [task]}), encoding="utf-8")
    return f"/run --plan {path}"


def _until_at_work(repo: Repo) -> None:
    until(lambda: (repo.store / "journal.db").exists() and repo.status()["tasks"])
    until(lambda: repo.tasks()["A"]["says"] == "working")


def _rest_of(process: "subprocess.Popen[str]") -> tuple[str, str]:
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdout.read(), process.stderr.read()


@pytest.mark.covers("P28", "P29")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_while_it_waits_the_work_is_paused(repo: Repo, gate: Path, number: signal.Signals) -> None:
    with talking(repo) as process:
        tell(process, _slow(repo, gate))
        tell(process, "/inbox")
        _until_at_work(repo)
        process.send_signal(number)
        assert process.wait(60) == 130
        out, err = _rest_of(process)
    assert "INCOMPLETE, paused: stopped by a person" in out
    assert "nothing waits" not in out, "the next line is not answered any more"
    assert "stopping session" in err
    assert marked_processes(repo.store) == {}
    (row,) = repo.status()["sessions"]
    assert row["state"] == "paused"
    gate.touch()
    assert repo.toryo("resume").code == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_while_it_reads_it_ends_at_once(repo: Repo, number: signal.Signals) -> None:
    with talking(repo) as process:
        tell(process, "/inbox")
        assert heard(process) == "nothing waits for you"
        process.send_signal(number)
        assert process.wait(30) == 130
        assert _rest_of(process) == ("", "interrupted\n")


def test_while_it_waits_for_its_turn_it_gives_it_up(repo: Repo, gate: Path) -> None:
    repo.start("run", "--plan", _slow(repo, gate).split()[-1])
    _until_at_work(repo)
    with talking(repo) as process:
        tell(process, _slow(repo, gate))
        until(lambda: len(repo.status()["sessions"]) == 2 and repo.status()["sessions"][0]["queued_at"])
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    latest, first = repo.status()["sessions"]
    assert (latest["state"], latest["queued_at"]) == ("paused", None)
    assert first["state"] == "executing"
    gate.touch()
    until(lambda: repo.status()["sessions"][1]["outcome"] == "COMPLETE")


def test_while_it_is_planned(repo: Repo) -> None:
    """Before the model has answered."""
    replies = usual("A")
    with planner(repo, [replies[0]]) as endpoint, talking(repo) as process:
        tell(process, "Add a greeting to the program")
        until(lambda: len(endpoint.requests) >= 1)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert repo.status()["sessions"][0]["state"] == "paused"


def test_twice_it_leaves_at_once(repo: Repo, gate: Path) -> None:
    """Its agent takes its time to end; the background sees to that."""
    repo.environ["TORYO_RUN_GRACE"] = "8s"
    with talking(repo) as process:
        tell(process, _slow(repo, gate, "trap '' TERM INT HUP; "))
        _until_at_work(repo)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "stopping session" not in process.stderr.readline():
            assert process.poll() is None
        until(lambda: repo.status()["sessions"][0]["state"] == "paused")
        assert process.poll() is None
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert time.monotonic() - began < 6
        assert marked_processes(repo.store), "its agent is still being ended"
    until(lambda: conductor_of(repo) is None)
    until(lambda: marked_processes(repo.store) == {})


def test_killed_it_leaves_the_work_going_on(repo: Repo, gate: Path) -> None:
    with talking(repo) as process:
        tell(process, _slow(repo, gate))
        _until_at_work(repo)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    gate.touch()
    until(lambda: repo.status()["sessions"][0]["outcome"] == "COMPLETE")
