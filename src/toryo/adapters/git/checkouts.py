"""Where branches are checked out: the main checkout and every other worktree, whoever made it."""

from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.place import under_way
from toryo.domain.errors import GitFailed
from toryo.domain.facts import fact

_HEADS = "refs/heads/"


@fact
class Checkout:
    path: Path
    git_dir: Path
    branch: str
    """Empty: none."""
    is_there: bool
    """Its folder exists; else only git's note of it is left."""

    @property
    def doing(self) -> str:
        """What somebody is in the middle of there; empty: nothing."""
        return under_way(self.git_dir)

    def is_rebasing(self, branch: str) -> bool:
        """A branch that is being rebased or bisected is checked out nowhere, and taken all the same."""
        named = (self.git_dir / folder / "head-name" for folder in ("rebase-merge", "rebase-apply"))
        return f"{_HEADS}{branch}" in map(_line, named) or _line(self.git_dir / "BISECT_START") == branch


async def checkouts(git: Git, root: Path) -> list[Checkout]:
    """All of them, the main one first."""
    listed = await git.ask(root, "worktree", "list", "--porcelain")
    if not listed.startswith("worktree "):
        raise GitFailed("git lists no worktree, and there is one at least")  # else a branch would be moved under it
    found: list[Checkout] = []
    for entry in listed.split("\n\n"):
        told = dict(line.partition(" ")[::2] for line in entry.split("\n") if line)
        if "worktree" not in told or "bare" in told:
            continue
        path = Path(told["worktree"])
        if not found and not (path / ".git").exists():
            path = root  # of a submodule, or with its git folder elsewhere, git names that folder
        branch = told.get("branch", "").removeprefix(_HEADS)
        found.append(Checkout(path, _git_dir(path), branch, (path / ".git").exists()))
    return found


def _git_dir(path: Path) -> Path:
    link = path / ".git"
    return path / _line(link).removeprefix("gitdir: ") if link.is_file() else link


def _line(path: Path) -> str:
    try:
        return path.read_text(errors="surrogateescape").strip()
    except OSError:
        return ""
