"""Clearing away: only what is proven to be elsewhere, however it got there; and what was cut short left behind."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell


def finished(repo: Repo, *tasks: dict[str, object]) -> str:
    done = repo.run(*(tasks or (shell("A", "echo one > one"), shell("B", "echo two > two"))), checks="true")
    assert done.code == 0, done
    return repo.git("rev-parse", "agent/the-plan")


def ours(repo: Repo) -> list[str]:
    return repo.git("branch", "--list", "agent/*", "--format=%(refname:short)").split()


@pytest.mark.covers("G31")
def test_what_is_nowhere_else_stays_and_work_is_committed_first(repo: Repo) -> None:
    done = repo.run(shell("A", "echo one > one"), shell("B", "echo two > two; false"), checks="true")
    assert done.code == 1, done
    assert repo.toryo("stop", "--discard").code == 0
    repo.write(".worktrees/task-b/precious", "not committed\n")
    repo.git("branch", "agent/mine")
    look = repo.toryo("clean", "--dry-run", "--json")
    assert look.code == 2
    assert (repo.path / ".worktrees" / "task-b" / "precious").exists()
    done = repo.toryo("clean", "--json")
    assert done.code == 2, done
    kept = {row["branch"]: row["why"] for row in json.loads(done.out)["kept"]}
    assert {row["branch"] for row in json.loads(look.out)["kept"]} == kept.keys()
    assert kept["agent/the-plan"] == "its work is neither merged nor pushed"
    assert "committed on it now" in kept["agent/task-b"]
    assert repo.show("agent/task-b", "precious") == "not committed"
    repo.git("merge", "-q", "--no-edit", "agent/the-plan", "agent/task-b")
    done = repo.toryo("clean")
    assert done.code == 0, done
    assert ours(repo) == ["agent/mine"], "a person's own branch is theirs, whatever it is called"
    assert "nothing to clean" in repo.toryo("clean").out
    assert not list((repo.path / ".worktrees").iterdir())


@pytest.mark.covers("G31")
@pytest.mark.parametrize("how", ["squash", "rebase", "push"])
def test_what_somebody_brought_home_another_way_counts(repo: Repo, tmp_path: Path, how: str) -> None:
    binary = "printf '\\0%s' $$ > data"
    tip = finished(repo, shell("A", f"echo one > one; {binary}"), shell("B", "sed -i s/hello/bye/ README.md"))
    assert repo.toryo("clean").code == 2
    repo.write("zero", "0\n")
    repo.commit("something else first")
    if how == "squash":
        repo.git("merge", "-q", "--squash", "agent/the-plan")
        repo.commit("all of it")
    elif how == "rebase":
        for commit in repo.git("rev-list", "--no-merges", "--reverse", "main..agent/the-plan").split():
            repo.git("cherry-pick", commit)
    else:
        repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
        repo.git("remote", "add", "origin", str(tmp_path / "remote"))
        repo.git("push", "-q", "origin", "agent/the-plan")
    done = repo.toryo("clean")
    assert done.code == 0, done
    assert ours(repo) == []
    assert repo.git("cat-file", "-t", tip) == "commit"
    assert repo.toryo("verify").code == 0, "proof needs the commits, and they stay"


@pytest.mark.covers("G31")
def test_what_was_changed_on_the_way_is_not_taken_for_the_same(repo: Repo) -> None:
    finished(repo, shell("A", "printf '\\0%s' $$ > data; echo one > one"))
    repo.git("merge", "-q", "--squash", "agent/the-plan")
    (repo.path / "data").write_bytes(b"\0 other bytes")
    repo.commit("all of it, but for the data")
    assert repo.toryo("clean").code == 2
    assert ours(repo) == ["agent/the-plan"]


@pytest.mark.covers("G31")
def test_a_branch_that_somebody_moved_or_uses_stays(repo: Repo) -> None:
    finished(repo)
    repo.git("merge", "-q", "--no-edit", "agent/the-plan")
    other = repo.path.parent / "other"
    repo.git("worktree", "add", "-q", str(other), "agent/the-plan")
    done = repo.toryo("clean")
    assert done.code == 2, done
    assert "is checked out in" in done.err
    assert (other / "one").exists()
    repo.git("worktree", "remove", str(other))
    repo.git("switch", "-q", "agent/the-plan")
    repo.write("more", "x\n")
    repo.commit("more")
    repo.git("switch", "-q", "main")
    assert repo.toryo("clean").code == 2
    assert ours(repo) == ["agent/the-plan"]


def test_what_was_cut_short_is_cleared_away(repo: Repo) -> None:
    done = repo.run(shell("A", "echo one > one"), shell("B", "echo two > two; false"), checks="true")
    assert repo.toryo("stop", "--discard").code == 0
    repo.git("merge", "-q", "--no-edit", "agent/the-plan")
    repo.git("-C", ".worktrees/task-b", "commit", "-qam", "x", check=False)
    shutil.rmtree(repo.path / ".worktrees" / "task-b")
    half_made = repo.path / ".worktrees" / "task-a"
    half_made.mkdir()
    (half_made / ".git").write_text("gitdir: nowhere\n")
    lock = repo.path / ".git" / "refs" / "heads" / "agent" / "task-b.lock"
    lock.touch()
    os.utime(lock, (time.time() - 600,) * 2)
    elsewhere = repo.path / ".git" / "index.lock"
    elsewhere.touch()
    os.utime(elsewhere, (time.time() - 600,) * 2)
    foreign = repo.path / ".worktrees" / "foreign"
    foreign.mkdir()
    (foreign / "file").touch()
    done = repo.toryo("clean", "--dry-run", "--json")
    assert len(json.loads(done.out)["leftovers"]) == 3, done
    done = repo.toryo("clean", "--json")
    assert len(json.loads(done.out)["leftovers"]) == 3, done
    assert (half_made.exists(), lock.exists()) == (False, False)
    assert elsewhere.exists(), "the lock of a person's own checkout is theirs"
    assert (foreign / "file").exists(), "what Toryo did not make it does not touch"
    assert "task-b" not in repo.git("worktree", "list")


@pytest.mark.covers("G31")
def test_two_hundred_branches_in_a_few_git_commands(repo: Repo, tmp_path: Path) -> None:
    """As a session leaves them that was cut short at its end: merged on its own branch, which is merged too."""
    keys = [f"T{number}" for number in range(200)]
    done = repo.run(*(shell(key, "false", depends_on=keys[:1] if key != "T0" else []) for key in keys))
    assert done.code == 1, done
    assert repo.toryo("stop", "--discard").code == 0
    names = [task["branch"] for task in repo.tasks().values()]
    head = repo.git("rev-parse", "main")
    for name in names[1:]:
        folder = repo.path / ".git" / "refs" / "heads" / Path(name).parent
        folder.mkdir(parents=True, exist_ok=True)
        (repo.path / ".git" / "refs" / "heads" / name).write_text(head + "\n")
    calls = tmp_path / "calls"
    counting = tmp_path / "bin" / "git"
    counting.parent.mkdir()
    counting.write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {shutil.which("git")} "$@"\n')
    counting.chmod(0o755)
    repo.environ["PATH"] = f"{counting.parent}:{repo.environ['PATH']}"
    done = repo.toryo("clean")
    assert done.code == 0, done
    assert done.out.count("removed agent/") == 200
    assert ours(repo) == []
    assert len(calls.read_text().splitlines()) < 20, calls.read_text()


@pytest.mark.covers("G31")
def test_a_name_that_comes_again_belongs_to_the_session_that_has_it_now(repo: Repo) -> None:
    """The first session's branch is gone, a later one's is called the same and waits for a person."""
    assert repo.run(shell("A", "echo one > one"), checks="true", flags=["--land", "merge"]).code == 0
    blocked = repo.run(shell("A", "echo two > two; exit 3"), checks="true")
    assert blocked.code != 0, blocked
    branch = repo.tasks()["A"]["branch"]
    folder = repo.path / ".worktrees" / branch.removeprefix("agent/")
    (folder / "unfinished").write_text("mine")
    swept = repo.toryo("clean", "--json")
    assert (swept.code, json.loads(swept.out)["removed"], json.loads(swept.out)["kept"]) == (0, [], []), swept
    assert repo.git("-C", str(folder), "status", "--porcelain") == "?? unfinished"
