"""What lies about in worktrees of ours: work nobody committed, and what was cut short left behind."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from toryo.adapters.git.checkouts import checkouts
from toryo.adapters.git.command import Git
from toryo.adapters.git.worktrees import GitWorktrees, current_branch, git_dir
from toryo.domain.errors import GitFailed
from toryo.ports import Seat

_LONG_AGO = 60.0
"""Seconds: an older lock belongs to no git command that is at work."""


class Leavings:
    def __init__(self, git: Git, worktrees: GitWorktrees) -> None:
        self._git, self._worktrees, self._root = git, worktrees, worktrees.root

    # ── work that nobody committed ───────────────────────────────────────────

    async def has_unsaved(self, seat: Seat) -> bool:
        path = self._worktrees.path(seat.folder)
        if not (path / ".git").is_file() or current_branch(path) != seat.branch:
            return False
        done = await self._git.attempt(path, "status", "--porcelain", "--untracked-files=normal")
        return bool(done.stdout) and done.returncode == 0

    async def save(self, seat: Seat) -> str:
        """Commits it on its branch; where that then stands."""
        path = self._worktrees.path(seat.folder)
        await self._git.ask(path, "add", "-A")
        message = f"chore: unfinished work on {seat.branch}\n"
        done = await self._git.attempt(path, "commit", "-q", "--no-verify", "--cleanup=verbatim", "-m", message)
        if done.returncode > 1:
            raise GitFailed(f"git commit failed: {done.stderr.decode(errors='replace').strip()}")
        return (await self._git.ask(path, "rev-parse", "HEAD")).strip()

    def size(self, seat: Seat) -> int:
        """Bytes on disk of its worktree."""
        path = self._worktrees.path(seat.folder)
        return sum(_blocks(Path(folder) / name) for folder, _, names in os.walk(path) for name in names)

    # ── what was cut short ───────────────────────────────────────────────────

    async def clear(
        self, folders: set[str], branches: set[str], *, dry_run: bool
    ) -> tuple[list[str], list[tuple[str, str]]]:
        """Half-made and half-removed worktrees, and locks of git commands of ours; what went, and what stays and why.

        Nobody conducts while this is asked for, so no git command of ours is at work.
        """
        gone: list[str] = []
        kept: list[tuple[str, str]] = []
        known = {place.path for place in await checkouts(self._git, self._root)}
        for folder in sorted(folders):
            path = self._worktrees.path(folder)
            name = f".worktrees/{folder}"
            if path in known and not path.exists():
                if dry_run or (await self._git.attempt(self._root, "worktree", "remove", str(path))).returncode == 0:
                    gone.append(f"{name} (its folder was deleted)")
            elif path.is_dir() and path not in known:
                if held := _files(path):
                    kept.append((name, f"git does not know it as a worktree any more, and it holds {held} files"))
                else:
                    gone.append(f"{name} (half made)")
                    if not dry_run:
                        _remove_empty(path)
        for lock in self._old_locks(folders, branches):
            gone.append(str(lock.relative_to(self._root)) if lock.is_relative_to(self._root) else str(lock))
            if not dry_run:
                lock.unlink(missing_ok=True)
        return gone, kept

    def _old_locks(self, folders: set[str], branches: set[str]) -> Iterator[Path]:
        common = self._common()
        places = [common / "refs" / "heads" / f"{branch}.lock" for branch in sorted(branches)]
        for folder in sorted(folders):
            path = self._worktrees.path(folder)
            if (path / ".git").is_file():
                places += [git_dir(path) / name for name in ("index.lock", "HEAD.lock")]
        for lock in places:
            try:
                if time.time() - lock.stat().st_mtime > _LONG_AGO:
                    yield lock
            except OSError:
                continue

    def _common(self) -> Path:
        done = self._git.run(self._root, "rev-parse", "--path-format=absolute", "--git-common-dir")
        return Path(done.stdout.decode(errors="surrogateescape").strip())


def _blocks(path: Path) -> int:
    try:
        return path.lstat().st_blocks * 512
    except OSError:
        return 0


def _files(path: Path) -> int:
    """But for the file that made it a worktree."""
    held = sum(len(names) for _, _, names in os.walk(path))
    return held - (path / ".git").is_file()


def _remove_empty(path: Path) -> None:
    (path / ".git").unlink(missing_ok=True)
    for folder, _, _ in os.walk(path, topdown=False):
        Path(folder).rmdir()
