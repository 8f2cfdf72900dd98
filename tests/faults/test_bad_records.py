"""Files that are cut, emptied or overwritten under a session: each has its outcome, and the session goes on."""

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.aftermath import assert_nothing_lost, ended_unwatched, held, runs_of, started
from tests.support.repositories import Repo, kill, shell, until

from toryo.adapters.hosts.headless import HeadlessHost

# ── the output of a run ──────────────────────────────────────────────────────


@pytest.mark.covers("B2")
@pytest.mark.parametrize("how", ["emptied", "removed", "replaced"])
def test_an_output_that_is_cut_under_a_running_run_changes_no_outcome(repo: Repo, tmp_path: Path, how: str) -> None:
    gate = tmp_path / "gate"
    command = f"echo early words; echo A > A; touch {gate}.said"
    process = started(repo, gate, held("A", gate, f"{command}; until test -e {gate}.2; do sleep 0.02; done; echo late"))
    gate.touch()
    until(Path(f"{gate}.said").exists)
    log = repo.store / "runs" / runs_of(repo)[0]["id"] / "output.log"
    until(lambda: "early" in log.read_text())
    match how:
        case "emptied":
            os.truncate(log, 0)
        case "removed":
            log.unlink()
        case _:
            log.unlink()
            log.write_bytes(b"\xff\xfe\0" * 1000)
    Path(f"{gate}.2").touch()
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert [run["outcome"] for run in runs_of(repo)] == ["COMPLETE"]
    assert repo.toryo("logs", "A").code == 0
    assert_nothing_lost(repo, "A")


@pytest.mark.covers("B2")
def test_an_output_that_is_cut_after_the_run_can_still_be_shown(repo: Repo) -> None:
    assert repo.run(shell("A", "echo early; echo late; echo A > A")).code == 0
    log = repo.store / "runs" / runs_of(repo)[0]["id"] / "output.log"
    os.truncate(log, 3)
    done = repo.toryo("logs", "A")
    assert (done.code, done.out.strip()) == (0, "ear")
    assert repo.toryo("report").code == 0
    assert_nothing_lost(repo, "A")


# ── the exit record ──────────────────────────────────────────────────────────

BROKEN = {
    "empty": b"",
    "blank": b"   \n",
    "garbage": b"\xff\0\xfe" * 50,
    "half": b'{"code": ',
    "no-code": b"{}",
    "null": b'{"code": null}',
    "text": b'{"code": "0"}',
    "fraction": b'{"code": 0.4}',
    "truth": b'{"code": false}',
    "negative": b'{"code": -9}',
    "too-large": b'{"code": 256000}',
    "list": b"[0]",
    "nested": b"[" * 100_000,
    "zeros": b"\0" * 4096,
}


@pytest.mark.covers("B2", "P9")
@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
async def test_an_exit_record_that_says_nothing_is_no_end(tmp_path: Path, content: bytes) -> None:
    """Not even one that could be taken for a zero with good will."""
    (tmp_path / "pid").write_text("2000000000")
    (tmp_path / "exit").write_bytes(content)
    assert await HeadlessHost().wait(tmp_path) is None


@pytest.mark.covers("B2", "P9")
@pytest.mark.parametrize("kind", ["empty", "text", "nested"])
def test_an_exit_record_that_says_nothing_is_a_lost_run_and_never_a_success(
    repo: Repo, tmp_path: Path, kind: str
) -> None:
    gate = tmp_path / "gate"
    record = ended_unwatched(repo, gate, held("A", gate))
    (record / "exit").write_bytes(BROKEN[kind])
    done = repo.toryo("resume")
    assert done.code == 0, done
    first, second = runs_of(repo)
    assert (first["state"], first["outcome"], first["code"]) == ("lost", "ERROR", None)
    assert second["outcome"] == "COMPLETE"
    assert_nothing_lost(repo, "A")


@pytest.mark.covers("B2", "P9")
def test_an_exit_record_that_is_gone_is_a_lost_run(repo: Repo, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    record = ended_unwatched(repo, gate, held("A", gate), shell("B", "echo B > B"))
    (record / "exit").unlink()
    assert repo.toryo("resume").code == 0
    assert [run["state"] for run in runs_of(repo)] == ["lost", "exited"]
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2")
def test_a_whole_record_that_is_gone_is_a_lost_run(repo: Repo, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    record = ended_unwatched(repo, gate, held("A", gate))
    shutil.rmtree(record)
    assert repo.toryo("resume").code == 0
    assert [run["state"] for run in runs_of(repo)] == ["lost", "exited"]
    assert_nothing_lost(repo, "A")


# ── the journal ──────────────────────────────────────────────────────────────


@pytest.mark.covers("B2", "G32")
@pytest.mark.parametrize("seed", range(2))
def test_a_transaction_that_was_cut_is_as_if_it_had_not_been(repo: Repo, tmp_path: Path, seed: int) -> None:
    """A power cut in the middle of a write: the log of the database ends anywhere."""
    gate = tmp_path / "gate"
    process = started(repo, gate, held("A", gate), shell("B", "echo B > B"))
    until(lambda: repo.tasks()["B"]["state"] == "integrated")
    before = repo.events()
    kill(process)
    log = Path(f"{repo.store}/journal.db-wal")
    frame = 4096 + 24
    assert log.stat().st_size > 3 * frame
    os.truncate(log, log.stat().st_size - random.Random(seed).randrange(1, 2 * frame))
    Path(f"{repo.store}/journal.db-shm").unlink()
    gate.touch()
    events = repo.events()
    assert events == before[: len(events)], "a beginning of what was written"
    assert len(events) >= 3
    done = repo.toryo("resume", "--yes")
    assert done.code == 0, done
    assert_nothing_lost(repo, "A", "B")


@pytest.mark.covers("B2", "G32")
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_bytes_flipped_in_the_journal_are_noticed_and_cost_no_work(repo: Repo, tmp_path: Path, share: float) -> None:
    """What is in front of them is recovered; what was done after that is still in git, and the session goes on.

    Where it cannot tell any more what a task did, it asks a person rather than guess.
    """
    gate = tmp_path / "gate"
    process = started(repo, gate, held("A", gate), shell("B", "echo B > B"))
    until(lambda: repo.tasks()["B"]["state"] == "integrated")
    before = repo.events()
    kill(process)
    commits = set(repo.git("rev-list", "--all").split())
    gate.touch()
    flip(repo.store / "journal.db", share)
    done = repo.toryo("info")
    assert (done.code, "E202" in done.err, "toryo doctor" in done.err) == (70, True, True), done
    assert "set aside" in repo.toryo("doctor").out
    assert list(repo.store.glob("journal.db.broken-*"))
    events = repo.events()
    assert len(events) == int(len(before) * share)
    assert events == before[: len(events)]
    done = repo.toryo("resume", "--yes")
    assert "Traceback" not in done.err
    assert done.code == 0 or repo.toryo("inbox").code == 2, done
    assert "A" in repo.files_on("agent/the-plan")
    assert commits <= set(repo.git("rev-list", "--all").split()), "nothing that was done is gone"
    assert repo.git("status", "--porcelain") == ""


def flip(journal: Path, share: float) -> None:
    """Sixteen bytes of one event, so far into the journal."""
    with closing(sqlite3.connect(journal)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = db.execute("SELECT body FROM events ORDER BY seq").fetchall()
    data = bytearray(journal.read_bytes())
    at = data.index(str(rows[int(len(rows) * share)][0]).encode()[:60]) + 20
    data[at : at + 16] = bytes(byte ^ 0xFF for byte in data[at : at + 16])
    journal.write_bytes(data)
