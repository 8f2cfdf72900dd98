"""What goes wrong around a conductor in the background is seen, and costs nobody their turn."""

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.queueing import (
    PATIENCE,
    begun,
    conductor,
    detach,
    gated,
    let,
    log_of,
    plan_args,
    row,
    until_idle,
)
from tests.support.repositories import TORYO, Done, Repo, background_conductors, processes_of, until

from toryo.journal.lease import Busy, Lease, holder

_WITH_ANOTHER_PYTHON = """
import sys
sys.executable, sys.argv = sys.argv[1], ["toryo", *sys.argv[2:]]
from toryo.frontends.cli import main
main()
"""
_WITH_A_FAULT = """
from pathlib import Path
from toryo.app.project import open_project
from toryo.app.turns import conduct_queue

def watch(session, events):
    if any(type(event).__name__ == "RunPlanned" for event in events) and session.title == "Plan A":
        raise RuntimeError("nobody thought of this")

print(conduct_queue(open_project(Path.cwd(), writing=True), watch))
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def call(repo: Repo, *args: str) -> Done:
    done = subprocess.run(
        args,
        cwd=repo.path,
        env=repo.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def queued(repo: Repo, *keys: str) -> list[str]:
    """Sessions in the queue that nobody takes up: their short ids."""
    for key in keys:
        done = call(repo, sys.executable, "-c", _WITH_ANOTHER_PYTHON, "/bin/true", *plan_args(repo, key), "--detach")
        assert done.code == 0, done
    return [one.removeprefix("session-")[:8] for one in repo.status()["queue"]]


# ── it cannot start ──────────────────────────────────────────────────────────


@pytest.mark.parametrize(("python", "says"), [("/nowhere/python", "cannot start"), ("/bin/false", "exit code 1")])
def test_one_that_does_not_start_is_told_at_once_and_the_session_stays_queued(
    repo: Repo, python: str, says: str
) -> None:
    done = call(repo, sys.executable, "-c", _WITH_ANOTHER_PYTHON, python, *plan_args(repo, "A"), "--detach")
    assert done.code == 69, done
    assert says in done.err
    assert "E260" in done.err
    assert "conductor.log" in done.err
    assert "1 session queued" in done.err
    assert "nobody takes them up" in repo.toryo("status").out
    assert repo.toryo("conduct").code == 0
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"


@pytest.mark.covers("B2")
def test_without_room_on_the_disk_nothing_is_lost(repo: Repo) -> None:
    (short,) = queued(repo, "A")
    full = call(repo, "sh", "-c", f"ulimit -f 1; exec {' '.join(TORYO)} conduct")
    assert full.code == 69, full
    assert row(repo, short)["queued_at"] is not None
    assert "nobody takes them up" in repo.toryo("status").out
    assert repo.toryo("conduct").code == 0
    assert row(repo, short)["outcome"] == "COMPLETE"


@pytest.mark.covers("B2")
def test_a_log_that_cannot_be_written_does_not_stop_the_work(repo: Repo) -> None:
    (short,) = queued(repo, "A")
    call(repo, "sh", "-c", f"exec {' '.join(TORYO)} conduct 2>/dev/full")
    assert row(repo, short)["outcome"] == "COMPLETE"


# ── a session cannot begin ───────────────────────────────────────────────────


def test_one_that_cannot_begin_waits_for_a_person_with_the_reason_and_the_next_has_its_turn(
    repo: Repo, notes: Path
) -> None:
    first = detach(repo, "A", gated(notes, "A"))
    begun(notes, "A")
    second = detach(repo, "B", gated(notes, "B"))
    settings = repo.write(".toryo/config.toml", "[run]\nno_such_key = 1\n")
    let(notes, "A", "B")
    until_idle(repo)
    assert row(repo, first)["outcome"] == "COMPLETE"
    put_down = row(repo, second)
    assert (put_down["state"], put_down["waits_for"]) == ("paused", "person")
    assert "no_such_key" in put_down["pause_reason"]
    settings.unlink()
    assert repo.toryo("inbox").code == 2
    assert "no_such_key" in repo.toryo("inbox").out
    assert repo.toryo("resume", second, "--detach").code == 0
    until_idle(repo)
    assert row(repo, second)["outcome"] == "COMPLETE"


def test_a_fault_of_our_own_is_put_down_with_its_session_and_the_next_has_its_turn(repo: Repo) -> None:
    first, second = queued(repo, "A", "B")
    done = call(repo, sys.executable, "-c", _WITH_A_FAULT)
    assert done.out == "True\n", done
    assert "nobody thought of this" in done.err
    assert "a fault of Toryo's own: RuntimeError: nobody thought of this" in row(repo, first)["pause_reason"]
    assert row(repo, second)["outcome"] == "COMPLETE"
    assert repo.toryo("resume", first).code == 0


@pytest.mark.covers("B2")
def test_one_that_cannot_be_read_stays_where_it_is_and_the_next_has_its_turn(repo: Repo) -> None:
    first, second = queued(repo, "A", "B")
    with sqlite3.connect(repo.store / "journal.db") as journal:
        journal.execute(
            "UPDATE events SET kind = 'FromTheFuture' WHERE stream LIKE ? AND kind = 'SessionQueued'",
            (f"session-{first}%",),
        )
    done = repo.toryo("conduct")
    assert done.code == 0, done
    assert f"session-{first}" in done.err
    assert row(repo, second)["outcome"] == "COMPLETE"
    assert row(repo, first)["queued_at"] is not None
    assert "FromTheFuture" in repo.toryo("info", first).err


# ── the turnstile ────────────────────────────────────────────────────────────


@pytest.mark.covers("G14")
def test_who_finds_the_turnstile_taken_leaves_the_queue_to_whoever_has_it(repo: Repo) -> None:
    (short,) = queued(repo, "A")
    turnstile = Lease(repo.store / "queue.lock")
    turnstile.acquire()
    assert repo.toryo("conduct").code == 0
    assert row(repo, short)["queued_at"] is not None
    assert "nobody" not in repo.toryo("status").out
    turnstile.release()
    assert repo.toryo("conduct").code == 0
    assert row(repo, short)["outcome"] == "COMPLETE"


@pytest.mark.covers("G14")
def test_who_only_looks_at_the_turnstile_keeps_nobody_out(repo: Repo) -> None:
    """A look holds the lock for an instant: whoever comes just then must not take it for a conductor."""
    (short,) = queued(repo, "A")
    turnstile, is_over = repo.store / "queue.lock", threading.Event()
    turnstile.touch()

    def look_all_the_time() -> None:
        while not is_over.is_set():
            holder(turnstile)

    looking = [threading.Thread(target=look_all_the_time) for _ in range(3)]
    for one in looking:
        one.start()
    try:
        done = repo.toryo("conduct")
    finally:
        is_over.set()
        for one in looking:
            one.join()
    assert done.code == 0, done
    assert row(repo, short)["outcome"] == "COMPLETE"


# ── its log ──────────────────────────────────────────────────────────────────


def test_its_log_does_not_grow_for_ever(repo: Repo) -> None:
    detach(repo, "A")
    until_idle(repo)
    log = repo.store / "logs" / "conductor.log"
    for _ in range(2):
        log.write_bytes(b"something that was said long ago\n" * 100_000)
        detach(repo, "B")
        until_idle(repo)
        assert log.stat().st_size < 10_000
    older = log.with_name("conductor.log.1")
    assert older.stat().st_size <= 1 << 20
    assert stat.S_IMODE(older.stat().st_mode) == 0o600
    assert {path.name for path in log.parent.glob("conductor*")} == {"conductor.log", "conductor.log.1"}


# ── death, again and again ───────────────────────────────────────────────────


def end_at(repo: Repo, number: signal.Signals, seconds: float) -> None:
    """Tells every conductor in the background so, after a while."""
    time.sleep(seconds)  # any moment will do
    for pid in background_conductors(repo.path):
        with suppress(ProcessLookupError):
            os.kill(pid, number)
    until_idle(repo)


@pytest.mark.covers("B2", "G14", "G26")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", range(2))
def test_killed_at_any_moment_nobody_is_forgotten_and_nothing_runs_twice(repo: Repo, notes: Path, seed: int) -> None:
    chance = random.Random(seed)
    shorts = [detach(repo, key, f"sleep 0.{seed + 2}; {gated(notes, key)}") for key in "ABCD"]
    (notes / "go").touch()
    for _ in range(6):
        end_at(repo, signal.SIGKILL, chance.uniform(0.2, 2.0))
        until(lambda: not processes_of(repo.store), PATIENCE)
        for one in repo.status()["sessions"]:
            if one["state"] != "closed" and one["queued_at"] is None:
                assert repo.toryo("resume", one["id"], "--detach").code == 0
        repo.toryo("conduct", "--detach")
    until_idle(repo)
    assert {row(repo, short)["outcome"] for short in shorts} == {"COMPLETE"}
    assert sorted(log_of(notes)) == list("ABCD")


@pytest.mark.covers("G25")
@pytest.mark.timeout(400)
def test_told_to_end_at_any_moment_every_session_is_paused_queued_or_closed(repo: Repo, notes: Path) -> None:
    chance = random.Random(7)
    for key in "ABCD":
        detach(repo, key, f"sleep 0.1; {gated(notes, key)}")
    (notes / "go").touch()
    for _ in range(8):
        end_at(repo, chance.choice([signal.SIGTERM, signal.SIGHUP]), chance.uniform(0.1, 1.2))
        for one in repo.status()["sessions"]:
            assert one["state"] in ("paused", "closed") or one["queued_at"] is not None, one
            if one["state"] == "paused":
                assert repo.toryo("resume", one["id"], "--detach").code == 0
        repo.toryo("conduct", "--detach")
    until_idle(repo)
    assert {one["outcome"] for one in repo.status()["sessions"]} == {"COMPLETE"}
    assert processes_of(repo.store) == []


def test_while_it_works_its_agents_hold_none_of_its_locks(repo: Repo, notes: Path) -> None:
    detach(repo, "A", gated(notes, "A"))
    begun(notes, "A")
    os.kill(conductor(repo), signal.SIGKILL)
    until_idle(repo)
    assert processes_of(repo.store)
    for name in ("queue.lock", "conductor.lock"):
        lease = Lease(repo.store / name)
        until(lambda lease=lease: _is_free(lease))
    let(notes, "A")
    until(lambda: not processes_of(repo.store))
    assert repo.toryo("resume").code == 0


def _is_free(lease: Lease) -> bool:
    try:
        lease.acquire()
    except Busy:
        return False
    lease.release()
    return True
