"""The session's branch: how it comes to be, and which branches go once they are merged into it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.support.repositories import Repo

from toryo.adapters.git.command import IDENTITY, Git
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.ports import Point, Seat

T = TypeVar("T")
HOME = Seat("agent/plan", "plan")
MESSAGE = "Merge A: Task A\n\nToryo-Task: task-1\n"


def with_git(repo: Repo, act: Callable[[GitIntegration, GitWorktrees], Awaitable[T]]) -> T:
    async def main() -> T:
        git = Git(repo.environ)
        git.use_identity(IDENTITY)
        objects = Objects(git, repo.path)
        worktrees = GitWorktrees(git, objects, repo.path)
        try:
            return await act(GitIntegration(git, objects, worktrees), worktrees)
        finally:
            objects.close()

    return asyncio.run(main())


def point(repo: Repo, name: str) -> Point:
    return Point(repo.git("rev-parse", name), repo.git("rev-parse", f"{name}^{{tree}}"))


def branch_off(repo: Repo, branch: str, base: str, name: str) -> Point:
    """A branch with one commit more than its base; the checkout is where it was."""
    repo.git("checkout", "-q", "-b", branch, base)
    repo.write(name, f"{name}\n")
    repo.commit(f"add {name}")
    repo.git("checkout", "-q", "main")
    return point(repo, branch)


def test_work_that_builds_on_the_tip_is_merged_without_a_worktree(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    merged = with_git(repo, lambda integration, _: integration.establish(HOME, tip, work, MESSAGE))
    assert merged == point(repo, HOME.branch)
    assert merged.tree == work.tree
    assert repo.git("log", "-1", "--format=%P", HOME.branch).split() == [tip.commit, work.commit]
    assert repo.git("log", "-1", "--format=%B", HOME.branch).strip() == MESSAGE.strip()
    assert not (repo.path / ".worktrees").exists()


def test_what_has_to_be_brought_together_is_not(repo: Repo) -> None:
    base, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    elsewhere = branch_off(repo, "elsewhere", "main", "b")
    for tip, done in ((elsewhere, work), (base, base), (work, base)):
        assert with_git(repo, lambda integration, _, on=tip, it=done: integration.establish(HOME, on, it, "")) is None  # type: ignore[misc]
    assert repo.git("branch", "--list", HOME.branch) == ""


def test_a_branch_that_exists_is_left_to_merging(repo: Repo) -> None:
    tip, work = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    repo.git("branch", HOME.branch, tip.commit)
    assert with_git(repo, lambda integration, _: integration.establish(HOME, tip, work, MESSAGE)) is None
    assert point(repo, HOME.branch) == tip


def test_merging_goes_on_after_a_merge_without_a_worktree(repo: Repo) -> None:
    tip, first = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    second = branch_off(repo, "agent/b", "main", "b")

    async def both(integration: GitIntegration, _: GitWorktrees) -> Point:
        established = await integration.establish(HOME, tip, first, MESSAGE)
        assert established is not None
        # Asked again, as after a crash, it is done already.
        assert await integration.merge(HOME, tip, first.commit, MESSAGE) == established
        return await integration.merge(HOME, established, second.commit, "Merge B\n")

    assert with_git(repo, both) == point(repo, HOME.branch)
    assert {"a", "b"} <= repo.files_on(HOME.branch)


@pytest.mark.covers("G31")
def test_only_merged_branches_are_forgotten(repo: Repo, tmp_path: Path) -> None:
    tip, merged = point(repo, "main"), branch_off(repo, "agent/a", "main", "a")
    branch_off(repo, "agent/b", "main", "b")
    repo.git("branch", "agent/in-use", merged.commit)
    repo.git("worktree", "add", "-q", str(tmp_path / "in-use"), "agent/in-use")

    async def forget(integration: GitIntegration, worktrees: GitWorktrees) -> None:
        await integration.establish(HOME, tip, merged, MESSAGE)
        names = ["agent/a", "agent/b", "agent/in-use", "agent/never-was"]
        await worktrees.forget_branches(names, merged_into=HOME.branch)

    with_git(repo, forget)
    left = repo.git("branch", "--list", "agent/*", "--format=%(refname:short)").split()
    assert left == ["agent/b", "agent/in-use", "agent/plan"]
