"""The person's own checkout, looked at from outside: it is theirs, and agents have no business in it."""

from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.domain.facts import fact

LOOK = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames")
_FIELDS_BEFORE_PATH = {"1": 8, "u": 10, "?": 1}


@fact
class State:
    """Where a checkout stands (empty: no branch, no commit), and what is changed in it: path → how."""

    branch: str
    commit: str
    changes: Mapping[str, str]


def look_at_checkout(status: bytes) -> State:
    """Makes sense of what git says when asked to LOOK."""
    about: dict[str, str] = {}
    changes: dict[str, str] = {}
    for entry in status.decode(errors="surrogateescape").split("\0"):
        kind, _, rest = entry.partition(" ")
        if kind == "#":
            name, _, value = rest.partition(" ")
            about[name] = "" if value.startswith("(") else value
        elif count := _FIELDS_BEFORE_PATH.get(kind):
            *how, path = entry.split(" ", count)
            changes[path] = " ".join(how)
    return State(about.get("branch.head", ""), about.get("branch.oid", ""), changes)


class GitCheckout:
    def __init__(self, git: Git, root: Path) -> None:
        self._git, self._root = git, root

    async def look(self) -> Mapping[str, str]:
        """What is changed in it, by path, so that two looks can be compared; where it stands goes by `HEAD`."""
        state = look_at_checkout((await self._git.attempt(self._root, *LOOK)).stdout)
        marks = {path: f"{how} {_marks(self._root / path)}" for path, how in state.changes.items()}
        return {"HEAD": state.commit, **marks}


def _marks(path: Path) -> str:
    try:
        found = path.lstat()
    except OSError:
        return "gone"
    return f"{found.st_size} {found.st_mtime_ns}"
