"""What a git that was killed leaves behind in places of ours: locks, and worktrees that were never finished."""

import re
from pathlib import Path

_IN_THE_WAY = re.compile(rb"Unable to create '([^\n]+\.lock)': File exists")
_OUR_REFS = ("/refs/heads/agent/", "/refs/toryo/")
_BEING_MADE = b"initializing"


def clear_lock(said: bytes) -> bool:
    """Removes the lock that git found in its way; False: it found none, or it may be somebody else's.

    Every git command of ours that still lives keeps the next one waiting, so a lock on what only we write to is
    held by nobody.
    """
    found = _IN_THE_WAY.search(said)
    if found is None:
        return False
    lock = Path(found[1].decode(errors="surrogateescape"))
    if not (any(ref in str(lock) for ref in _OUR_REFS) or _is_ours(lock.parent)):
        return False
    lock.unlink(missing_ok=True)
    return True


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


def common_dir_of(root: Path) -> Path:
    """The folder that all worktrees of a repository share, seen from its main one."""
    own = root / ".git"
    if own.is_dir():
        return own
    text = own.read_text(errors="surrogateescape")
    return root / text.removeprefix("gitdir: ").removesuffix("\n")
