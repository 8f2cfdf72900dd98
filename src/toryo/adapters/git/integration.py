"""Merging accepted work on the session's own branch, in a worktree of its own."""

from toryo.adapters.git.command import Git
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.worktrees import GitWorktrees, current_branch, git_dir, unmerged
from toryo.domain.errors import GitFailed
from toryo.ports import Conflict, Point, Seat


class GitIntegration:
    """The branch is checked out here, so that git keeps everybody else from moving it."""

    def __init__(self, git: Git, objects: Objects, worktrees: GitWorktrees) -> None:
        self._git, self._objects, self._worktrees = git, objects, worktrees

    async def establish(self, seat: Seat, tip: Point, work: Point, message: str) -> Point | None:
        root, branch = self._worktrees.root, f"refs/heads/{seat.branch}"
        if work.commit == tip.commit or self._objects.find(branch):
            return None
        builds_on = await self._git.attempt(root, "merge-base", "--is-ancestor", tip.commit, work.commit)
        if builds_on.returncode != 0:
            return None
        parents = ("-p", tip.commit, "-p", work.commit)
        commit = (await self._git.ask(root, "commit-tree", work.tree, *parents, "-m", message)).strip()
        # The empty old value: git refuses if somebody has made the branch since.
        await self._git.ask(root, "update-ref", branch, commit, "")
        return Point(commit, work.tree)

    async def merge(self, seat: Seat, tip: Point, commit: str, message: str) -> Point:
        await self._try_merge(seat, tip, commit, ("-m", message))
        return self._point(seat)

    async def begin(self, seat: Seat, tip: Point, commit: str) -> str:
        await self._try_merge(seat, tip, commit, ("--no-commit",))
        path = self._worktrees.path(seat.folder)
        return (await self._git.ask(path, "write-tree")).strip()

    async def finish(self, seat: Seat, commit: str, message: str) -> Point:
        path = self._worktrees.path(seat.folder)
        if (git_dir(path) / "MERGE_HEAD").exists():
            await self._git.ask(path, "commit", "-q", "--no-verify", "-m", message)
        point = self._point(seat)
        contained = await self._git.attempt(path, "merge-base", "--is-ancestor", commit, point.commit)
        if contained.returncode != 0:
            raise GitFailed(f"{commit[:12]} is not in {seat.branch} after merging it")
        return point

    async def abandon(self, seat: Seat) -> None:
        path = self._worktrees.path(seat.folder)
        (git_dir(path) / "index.lock").unlink(missing_ok=True)
        await self._git.ask(path, "reset", "-q", "--hard")
        await self._git.ask(path, "clean", "-q", "-f", "-d")

    async def show(self, seat: Seat, tip: Point) -> None:
        path = self._worktrees.path(seat.folder)
        if path.exists() and current_branch(path) != seat.branch:
            # Cut short while it showed an earlier commit: nothing of anybody's is in here.
            await self.abandon(seat)
            await self._git.ask(path, "checkout", "-q", "-f", seat.branch)
        await self._worktrees.create(seat, [tip], adopt=True)
        await self.abandon(seat)

    async def _try_merge(self, seat: Seat, tip: Point, commit: str, options: tuple[str, ...]) -> None:
        path = self._worktrees.path(seat.folder)
        if not path.exists():
            await self._worktrees.create(seat, [tip], adopt=True)
        elif current_branch(path) != seat.branch:
            await self.show(seat, tip)
        for last_try in (False, True):
            done = await self._git.attempt(path, "merge", "-q", "--no-ff", *options, commit)
            if done.returncode == 0:
                return
            files = await unmerged(self._git, path)
            # Whatever it was (a conflict, or a try that was cut short), the branch itself has not moved.
            await self.abandon(seat)
            if files and last_try:
                raise Conflict(files)
        raise GitFailed(f"git merge failed: {done.stderr.decode(errors='replace').strip()}")

    def _point(self, seat: Seat) -> Point:
        commit = self._objects.need(f"refs/heads/{seat.branch}")
        return Point(commit, self._objects.need(f"{commit}^{{tree}}"))
