"""The way back on the session's own branch: looking at an earlier commit, and returning to one."""

from toryo.adapters.git.command import Git
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.domain.errors import GitFailed
from toryo.ports import Point, Seat


class GitRetreat:
    """In the worktree in which the branch is checked out anyway, so that what checks keep there is of use."""

    def __init__(self, git: Git, objects: Objects, worktrees: GitWorktrees, integration: GitIntegration) -> None:
        self._git, self._objects, self._worktrees, self._integration = git, objects, worktrees, integration

    async def look_at(self, seat: Seat, tip: Point, commit: str) -> None:
        await self._integration.show(seat, tip)
        if commit != tip.commit:
            path = self._worktrees.path(seat.folder)
            await self._git.ask(path, "checkout", "-q", "-f", "--detach", commit)

    async def come_back(self, seat: Seat, tip: Point) -> None:
        await self._integration.show(seat, tip)

    async def take_back(self, seat: Seat, ahead: str, tip: Point) -> str:
        root, branch = self._worktrees.root, f"refs/heads/{seat.branch}"
        kept = f"refs/toryo/kept/{seat.folder}/{ahead[:12]}"
        await self._git.ask(root, "update-ref", kept, ahead)
        stands = self._objects.find(branch)
        if stands == ahead:
            # With the old value: git refuses if somebody has moved it since.
            await self._git.ask(root, "update-ref", branch, tip.commit, ahead)
        elif stands not in (tip.commit, None):
            raise GitFailed(f"{seat.branch} is at {stands[:12]}: somebody moved it")
        if self._worktrees.path(seat.folder).exists():
            await self._integration.show(seat, tip)
        return kept
