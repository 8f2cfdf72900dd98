"""The person's own checkout, looked at from outside: it is theirs, and agents have no business in it."""

from collections.abc import Mapping
from pathlib import Path, PurePath

from toryo.adapters.git.command import Git
from toryo.domain.facts import fact

LOOK = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames")
OWN = ".toryo/"
_WRITTEN_MEANWHILE = (f"{OWN}observations.yaml", f"{OWN}knowledge/history/")
"""What Toryo itself writes in the checkout while agents work, and they through it."""
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
        marks = {}
        for path, how in state.changes.items():
            # Git names a folder of which it knows nothing as one; Toryo writes to some of what is in its own.
            for each in _files(self._root, path) if path.startswith(OWN) and path.endswith("/") else (path,):
                if not each.startswith(_WRITTEN_MEANWHILE):
                    marks[each] = f"{how} {_marks(self._root / each)}"
        return {"HEAD": state.commit, **marks}


def _files(root: Path, folder: str) -> list[str]:
    found = [path.relative_to(root).as_posix() for path in (root / folder).rglob("*") if not path.is_dir()]
    return sorted(path for path in found if not PurePath(path).name.startswith("."))


def _marks(path: Path) -> str:
    try:
        found = path.lstat()
    except OSError:
        return "gone"
    return f"{found.st_size} {found.st_mtime_ns}"
