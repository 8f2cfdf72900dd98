"""Removing worktrees and branches, never by force; and finding a worktree again that git has lost sight of."""

from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

from toryo.adapters.git.command import Git
from toryo.adapters.git.debris import clear_branch_locks, clear_unfinished
from toryo.adapters.git.upkeep import current_branch, is_worktree
from toryo.domain.errors import GitFailed

_AT_ONCE = 500
"""So many branches are named in one command."""


class Removal:
    def __init__(self, git: Git, root: Path, common_dir: Path) -> None:
        self._git, self._root, self._common_dir = git, root, common_dir

    async def folder(self, path: Path, branch: str) -> str:
        """Removes the branch's worktree if nothing would be lost with it. Why not; empty: removed."""
        if not path.exists():
            return ""
        await self.reconnect(path)
        if not is_worktree(path):
            return f"{path} is not a worktree that git knows; look at what is in it"
        if not current_branch(path):
            return f"{path} is on no branch: somebody may be at work in it"
        if current_branch(path) != branch:
            return ""  # a shared folder that another task uses by now
        done = await self._remove(path)
        if done.returncode < 0 and path.exists():
            await self.reconnect(path)
            done = await self._remove(path)
        return "" if done.returncode == 0 else _why_not(path, done.stderr.decode(errors="replace").strip())

    async def reconnect(self, path: Path) -> None:
        """Making or removing it may have been cut short, or the repository moved: git can tell which folder it was."""
        clear_unfinished(self._common_dir, path)
        if not is_worktree(path):
            await self._git.attempt(self._root, "worktree", "repair", str(path))

    async def _remove(self, path: Path) -> CompletedProcess[bytes]:
        remove = ("worktree", "remove", str(path))
        done = await self._git.attempt(self._root, *remove)
        if done.returncode > 0 and await self._only_lacks_files(path):
            await self._git.ask(path, "reset", "-q", "--hard")
            done = await self._git.attempt(self._root, *remove)
        return done

    async def _only_lacks_files(self, path: Path) -> bool:
        """Whether all that is different from what is committed are files that are gone."""
        done = await self._git.attempt(path, "status", "--porcelain", "-z", "--untracked-files=all")
        entries = [entry for entry in done.stdout.split(b"\0") if entry]
        return done.returncode == 0 and bool(entries) and all(entry.startswith(b" D ") for entry in entries)

    async def branches(self, there: Sequence[str], merged_into: str) -> None:
        """Those that are merged into the session's; what git refuses stays."""
        # `-d` lets a branch go only if git finds it merged into its upstream, which for this command is that one.
        clear_branch_locks(self._common_dir, list(there))
        for begin in range(0, len(there), _AT_ONCE):
            some = there[begin : begin + _AT_ONCE]
            upstream = (("remote", "."), ("merge", f"refs/heads/{merged_into}"))
            settings = [f"branch.{branch}.{key}={value}" for branch in some for key, value in upstream]
            asked = (*(part for setting in settings for part in ("-c", setting)), "branch", "-q", "-d", *some)
            done = await self._git.attempt(self._root, *asked)
            if done.returncode < 0:
                raise GitFailed(f"git branch was killed ({-done.returncode})")


def _why_not(path: Path, said: str) -> str:
    if "untracked" in said:
        return f"{path} holds files that are not committed (leftovers of checks belong in .gitignore)"
    if "containing submodules" in said:
        return f"{path} has a submodule: commits made in there may be nowhere else; push them, then remove it by hand"
    return said or f"git was killed while it removed {path}"
