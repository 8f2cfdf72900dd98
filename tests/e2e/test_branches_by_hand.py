"""Branches and folders that somebody changes while a session goes on: noticed, recorded, nothing lost."""

import json
import shutil
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell

HOME = "agent/the-plan"


def halfway(repo: Repo, *more: dict[str, object], **top: object) -> str:
    """One task is merged, the other is blocked and can be sent round again; where the branch stands."""
    tasks = [shell("A", "echo a > a"), shell("B", "test -e ../../go && echo b > b"), *more]
    done = repo.run(*tasks, **top)
    assert done.code in (1, 2), done
    (repo.path / "go").touch()
    return repo.git("rev-parse", HOME)


def noticed(repo: Repo) -> list[tuple[str, str]]:
    return [(event["what"], event["branch"]) for event in repo.events() if event["kind"] == "FoundChanged"]


@pytest.mark.covers("G37")
def test_a_deleted_session_branch_is_made_again(repo: Repo) -> None:
    tip = halfway(repo)
    repo.git("branch", "-D", HOME)
    done = repo.toryo("retry", "B")
    assert done.code == 0, done
    assert noticed(repo) == [("gone", HOME)]
    assert {"a", "b"} <= repo.files_on(HOME)
    assert repo.git("merge-base", tip, HOME) == tip
    assert f"{HOME} was deleted by somebody" in repo.toryo("status").out
    assert json.loads(repo.toryo("status", "--json").out)["noticed"][0].startswith(f"{HOME} was deleted")
    assert "What others did to its branches" in repo.toryo("report").out
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("G37")
def test_a_persons_commit_on_the_session_branch_is_taken_over_and_proven(repo: Repo, tmp_path: Path) -> None:
    halfway(repo, checks="test ! -e broken")
    mine = tmp_path / "mine"
    repo.git("worktree", "add", "-q", str(mine), HOME)
    (mine / "mine").write_text("mine\n")
    repo.git("-C", str(mine), "add", "-A")
    repo.git("-C", str(mine), "commit", "-q", "-m", "mine")
    repo.git("worktree", "remove", str(mine))
    done = repo.toryo("retry", "B")
    assert done.code == 0, done
    assert noticed(repo) == [("ahead", HOME)]
    assert {"a", "b", "mine"} <= repo.files_on(HOME)
    proven = [event["commit"] for event in repo.events() if event["kind"] in ("SessionProven", "TaskIntegrated")]
    assert proven[-1] == repo.git("rev-parse", HOME), "the proof is about the branch with the person's commit"
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("G37")
def test_a_rewritten_session_branch_waits_for_a_person(repo: Repo) -> None:
    tip = halfway(repo)
    repo.git("branch", "-f", HOME, "main")
    held = repo.toryo("retry", "B")
    assert held.code == 2, held
    assert noticed(repo) == [("elsewhere", HOME)]
    assert repo.git("rev-parse", HOME) == repo.git("rev-parse", "main"), "it stays where somebody put it"
    kept = repo.git("for-each-ref", "--format=%(objectname)", "refs/toryo/kept").split()
    assert tip in kept
    (item,) = [item for item in json.loads(repo.toryo("inbox", "--json").out)["items"] if item["what"] == "branch"]
    assert item["commands"][0] == f"git branch -f {HOME} {tip}"
    again = repo.toryo("resume")
    assert again.code == 2, again
    repo.git(*item["commands"][0].split()[1:])
    done = repo.toryo(*item["commands"][1].split()[1:])
    assert done.code == 0, done
    assert {"a", "b"} <= repo.files_on(HOME)
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("G37")
def test_a_task_whose_branch_and_folder_are_gone_goes_on_from_where_it_was(repo: Repo) -> None:
    done = repo.run(
        shell("A", "echo first > a; test -e ../../go && echo more >> a"),
        shell("C", "echo c > c"),
    )
    assert done.code != 0
    branch, folder = "agent/task-a", repo.path / ".worktrees" / "task-a"
    was = repo.git("rev-parse", branch)
    shutil.rmtree(folder)
    repo.git("worktree", "prune")
    repo.git("branch", "-D", branch)
    (repo.path / "go").touch()
    blocked = repo.toryo("retry", "A")
    if blocked.code:
        assert repo.info("A")["task"]["block_reason"] == "missing worktree", blocked
        done = repo.toryo("retry", "A")
        assert done.code == 0, done
    assert ("gone", branch) in noticed(repo)
    assert repo.git("merge-base", was, HOME) == was, "what it had done is still there"
    assert repo.show(HOME, "a") == "first\nmore"


@pytest.mark.covers("G37")
def test_what_is_in_the_way_is_set_aside(repo: Repo) -> None:
    """A folder that git does not know, stale locks, and a worktree of the person's own that is not there now."""
    elsewhere = repo.path.parent / "on-another-disk"
    repo.git("worktree", "add", "-q", "-b", "mine", str(elsewhere))
    shutil.move(elsewhere, repo.path.parent / "unmounted")
    halfway(repo, shell("C", "cp b c", depends_on=["B"]))
    stray = repo.path / ".worktrees" / "task-c"
    stray.mkdir()
    (stray / "notes").write_text("mine\n")
    folder = repo.path / ".worktrees" / "task-b"
    own = repo.path / ".git" / "worktrees" / "task-b"
    for name in ("index.lock", "HEAD.lock"):
        (own / name).touch()
    done = repo.toryo("retry", "B")
    assert done.code == 0, done
    assert not folder.exists()
    assert repo.show(HOME, "c") == "b"
    assert (repo.path / ".worktrees" / "task-c.found-1" / "notes").read_text() == "mine\n"
    assert "on-another-disk" in repo.git("worktree", "list"), "what is missing elsewhere is not ours to forget"


@pytest.mark.covers("G31", "G37")
@pytest.mark.parametrize("how", [("retry", "B"), ("retry", "B", "--by-hand")])
def test_a_repository_that_was_moved_finds_its_worktrees_again(repo: Repo, how: tuple[str, ...]) -> None:
    halfway(repo)
    folder = Path(".worktrees") / repo.tasks()["B"]["branch"].removeprefix("agent/")
    (repo.path / folder / "mine").write_text("unsaved\n")
    moved = repo.path.with_name("moved elsewhere")
    repo.path.rename(moved)
    repo.path = moved
    done = repo.toryo(*how)
    assert done.code == 0, done
    assert {"a", "mine"} <= repo.files_on(HOME)
    assert not (moved / folder).exists()
