"""Toryo's own hands on git, without a session around them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from tests.support.repositories import Repo

from toryo.adapters.git.command import IDENTITY, Git
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.ports import Point

T = TypeVar("T")


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


def git_in(repo: Repo, folder: Path, *args: str) -> str:
    return repo.git("-C", str(folder), *args)


def point(repo: Repo, name: str) -> Point:
    return Point(repo.git("rev-parse", name), repo.git("rev-parse", f"{name}^{{tree}}"))


def branch_off(repo: Repo, branch: str, base: str, name: str) -> Point:
    """A branch with one commit more than its base; the checkout is where it was."""
    repo.git("checkout", "-q", "-b", branch, base)
    repo.write(name, f"{name}\n")
    repo.commit(f"add {name}")
    repo.git("checkout", "-q", "main")
    return point(repo, branch)
