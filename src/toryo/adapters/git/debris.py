"""What a git that was killed leaves behind in places of ours: locks, and worktrees that were never finished."""

import re
import time
from pathlib import Path

_IN_THE_WAY = re.compile(rb"Unable to create '([^\n]+\.lock)': File exists")
_OUR_REFS = ("/refs/heads/agent/", "/refs/toryo/")
_ABANDONED, _LOOKS = 1.0, 10
_BEING_MADE = b"initializing"


def lock_in_the_way(said: bytes) -> Path | None:
    """The lock that git found in its way, where it is on something that hardly anybody but us writes to."""
    found = _IN_THE_WAY.search(said)
    if found is None:
        return None
    lock = Path(found[1].decode(errors="surrogateescape"))
    is_ours = any(ref in str(lock) for ref in _OUR_REFS) or _is_ours(lock.parent)
    return lock if is_ours else None


async def clear(lock: Path) -> None:
    """Removes a lock that nobody gives up.

    Every git command of ours that still lives keeps the next one waiting, so it is none of ours; and anybody else's
    lasts for the blink of an eye.
    """
    import asyncio

    for _ in range(_LOOKS):
        try:
            age = time.time() - lock.stat().st_mtime
        except OSError:
            return
        if age > _ABANDONED:
            break
        await asyncio.sleep(_ABANDONED / _LOOKS)
    lock.unlink(missing_ok=True)


def _is_ours(admin: Path) -> bool:
    """Whether this is git's folder about one of our worktrees."""
    try:
        return b"/.worktrees/" in (admin / "gitdir").read_bytes()
    except OSError:
        return False


def clear_branch_locks(common: Path, branches: list[str]) -> None:
    for branch in branches:
        (common / "refs" / "heads" / f"{branch}.lock").unlink(missing_ok=True)


def clear_unfinished(common: Path, path: Path) -> None:
    """Sees to it that a worktree whose making was cut short can be used, or made again."""
    for admin in (common / "worktrees").glob("*"):
        if not _is_about(admin, path):
            continue
        lock = admin / "locked"
        if lock.is_file() and lock.read_bytes().strip() == _BEING_MADE:
            lock.unlink()
        if not (admin / "HEAD").exists():
            # Nothing was ever checked out in it; without its own file git takes it for gone.
            (path / ".git").unlink(missing_ok=True)


def _is_about(admin: Path, path: Path) -> bool:
    try:
        told = (admin / "gitdir").read_bytes().strip()
    except OSError:
        return admin.name == path.name
    return told == bytes(path / ".git")
