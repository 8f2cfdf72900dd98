"""A task's worktree, whatever a try that was cut short has left of it: all of its files, from all of its bases."""

import subprocess
from pathlib import Path

import pytest
from tests.support.git_parts import branch_off, git_in, point, with_git
from tests.support.repositories import Repo

from toryo.ports import Point, Seat

SEAT = Seat("agent/task", "task")


def folder_of(repo: Repo) -> Path:
    return repo.path / ".worktrees" / SEAT.folder


def add_empty(repo: Repo, commit: str) -> None:
    """As far as a try gets that is cut short before it has laid out any file."""
    repo.git("worktree", "add", "-q", "--no-checkout", "-b", SEAT.branch, str(folder_of(repo)), commit)


def create(repo: Repo, *bases: Point, adopt: bool = False) -> Point:
    return with_git(repo, lambda _, worktrees: worktrees.create(SEAT, list(bases), adopt=adopt))


def assert_whole(repo: Repo, stands: Point, *files: str) -> None:
    folder = folder_of(repo)
    assert git_in(repo, folder, "status", "--porcelain") == ""
    assert {path.name for path in folder.iterdir()} == {".git", "README.md", *files}
    assert stands == point(repo, SEAT.branch)


@pytest.mark.covers("A15", "B2")
def test_one_that_was_made_and_not_laid_out_gets_its_files(repo: Repo) -> None:
    base = point(repo, "main")
    add_empty(repo, base.commit)
    assert_whole(repo, create(repo, base))


@pytest.mark.covers("A15", "B2")
@pytest.mark.parametrize("adopt", [False, True])
def test_one_that_was_not_laid_out_begins_where_its_dependency_is_by_now(repo: Repo, adopt: bool) -> None:
    old, new = branch_off(repo, "old", "main", "old"), branch_off(repo, "new", "main", "new")
    add_empty(repo, old.commit)
    assert_whole(repo, create(repo, new, adopt=adopt), "new")


@pytest.mark.covers("A15", "B2")
@pytest.mark.parametrize("adopt", [False, True])
def test_one_that_was_cut_short_between_two_bases_gets_the_rest(repo: Repo, adopt: bool) -> None:
    bases = [branch_off(repo, name, "main", name) for name in ("a", "b", "c")]
    create(repo, *bases[:2])
    assert_whole(repo, create(repo, *bases, adopt=adopt), "a", "b", "c")


@pytest.mark.covers("G37")
def test_what_somebody_did_in_it_meanwhile_stays_or_is_kept(repo: Repo) -> None:
    base, moved = point(repo, "main"), branch_off(repo, "moved", "main", "moved")
    create(repo, base)
    (folder_of(repo) / "mine").write_text("mine\n")
    git_in(repo, folder_of(repo), "add", "-A")
    git_in(repo, folder_of(repo), "commit", "-qm", "mine")
    mine = point(repo, SEAT.branch)
    assert create(repo, base, adopt=True) == mine, "all of its bases are in there"
    (folder_of(repo) / "not-committed").write_text("mine too\n")
    assert_whole(repo, create(repo, moved, adopt=True), "moved")
    (kept,) = repo.git("for-each-ref", "--format=%(refname)", "refs/toryo/kept").split()
    assert (repo.show(kept, "mine"), repo.show(kept, "not-committed")) == ("mine", "mine too")


@pytest.mark.covers("A15", "B2")
def test_the_work_of_one_whose_folder_is_gone_comes_back_as_it_was(repo: Repo) -> None:
    base, work = point(repo, "main"), branch_off(repo, SEAT.branch, "main", "work")
    back = with_git(repo, lambda _, worktrees: worktrees.bring_back(SEAT, base))
    assert back == work
    assert_whole(repo, back, "work")
    subprocess.run(["rm", "-r", str(folder_of(repo))], check=True)
    repo.git("worktree", "prune")
    repo.git("worktree", "add", "-q", "--no-checkout", str(folder_of(repo)), SEAT.branch)
    assert_whole(repo, with_git(repo, lambda _, worktrees: worktrees.bring_back(SEAT, base)), "work")
