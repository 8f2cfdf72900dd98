"""What is on disk, and when: tasks before their worktrees, everything before the end, files where they were seen."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell

from toryo.domain import events as e
from toryo.journal.sqlite import SqliteJournal


@pytest.mark.covers("F9", "F16")
def test_tasks_and_names_are_durable_before_the_first_worktree_exists(repo: Repo, tmp_path: Path) -> None:
    """A git that keeps a copy of the journal at the moment it is to make a worktree."""
    real, kept = shutil.which("git"), tmp_path / "kept"
    kept.mkdir()
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(
        f'#!/bin/sh\ncase " $* " in *" worktree add "*) test -e {kept}/journal.db || '
        f'cp {repo.store}/journal.db* {kept}/;; esac\nexec {real} "$@"\n'
    )
    spy.chmod(0o755)
    repo.environ["PATH"] = f"{spy.parent}:{repo.environ['PATH']}"
    assert repo.run(shell("A", "echo a > a"), shell("B", "echo b > b", depends_on=["A"])).code == 0
    with closing(SqliteJournal(kept / "journal.db")) as journal:
        (stream,) = journal.streams()
        events = [event for _, event in journal.read(stream)]
    (proposed,) = [event for event in events if isinstance(event, e.PlanProposed)]
    assert [task.key for task in proposed.tasks] == ["A", "B"]
    claims = [event for event in events if isinstance(event, e.RunPlanned)]
    assert claims
    assert all(claim.conversation and claim.run for claim in claims)
    assert not any(isinstance(event, e.WorkspacePrepared | e.RunStarted) for event in events)


@pytest.mark.covers("P28", "G32")
def test_without_a_terminal_everything_is_on_disk_before_the_command_ends(repo: Repo) -> None:
    """Read by another program, from the files alone, without giving Toryo another chance to write."""
    done = repo.run(shell("A", "echo early; echo a > a"), shell("B", "exit 3", depends_on=["A"]), checks="true")
    assert done.code == 1, done
    with closing(SqliteJournal(repo.store / "journal.db", read_only=True)) as journal:
        (stream,) = journal.streams()
        rows = journal.read(stream)
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    events = [event for _, event in rows]
    assert isinstance(events[-1], e.SessionPaused)
    planned = [event.run for event in events if isinstance(event, e.RunPlanned)]
    ended = [event.run for event in events if isinstance(event, e.RunExited)]
    assert planned == ended
    for run in planned:
        record = repo.store / "runs" / run
        assert (record / "exit").exists()
        assert (record / "output.log").exists()
    times = [event.at for event in events]
    assert times == sorted(times)


@pytest.mark.covers("P33", "P31")
def test_every_verified_file_can_be_found_where_it_was_verified(repo: Repo) -> None:
    repo.write("old.txt", "old\n")
    repo.write("gone.txt", "gone\n")
    repo.commit("before")
    assert (
        repo.run(shell("A", "echo new > ノート.txt; echo more >> old.txt; rm gone.txt; mkdir d; echo x > d/x")).code
        == 0
    )
    task = repo.info("A")["task"]
    files = {file["path"]: (file["change"], file["exists"]) for file in task["runs"][0]["files"]}
    assert files == {
        "ノート.txt": ("created", True),
        "old.txt": ("modified", True),
        "gone.txt": ("deleted", False),
        "d/x": ("created", True),
    }
    there = repo.files_on(task["commit"])
    assert {path: path in there for path in files} == {path: exists for path, (_, exists) in files.items()}
    (record,) = [record for record in task["evidence"] if record["operation"] == "files"]
    assert task["commit"] in record["facts"].values()
