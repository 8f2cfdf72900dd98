"""The person's own checkout, looked at from outside: it is theirs, and agents have no business in it."""

from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.git.command import Git


class GitCheckout:
    def __init__(self, git: Git, root: Path) -> None:
        self._git, self._root = git, root

    async def look(self) -> Mapping[str, str]:
        """What is changed in it, by path, so that two looks can be compared; where it stands goes by `HEAD`."""
        done = await self._git.attempt(
            self._root, "--no-optional-locks", "status", "--porcelain=v1", "-z", "--no-renames"
        )
        head = await self._git.attempt(self._root, "rev-parse", "HEAD")
        seen = {"HEAD": head.stdout.decode(errors="replace").strip()}
        for entry in done.stdout.split(b"\0"):
            name = entry[3:].decode(errors="surrogateescape")
            if name:
                seen[name] = f"{entry[:2].decode(errors='replace')} {_marks(self._root / name)}"
        return seen


def _marks(path: Path) -> str:
    try:
        found = path.lstat()
    except OSError:
        return "gone"
    return f"{found.st_size} {found.st_mtime_ns}"
