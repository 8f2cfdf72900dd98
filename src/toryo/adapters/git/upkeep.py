"""Worktrees as they are on disk: whose they are, what branch they are on, and what killed commands left in them."""

from collections.abc import Iterator
from pathlib import Path

from toryo.domain.errors import GitFailed

_LOCKS = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock", "MERGE_HEAD.lock", "MERGE_RR.lock")


def is_worktree(path: Path) -> bool:
    """It is one, and git still knows it: a folder whose registration is gone is none."""
    return (path / ".git").is_file() and (git_dir(path) / "HEAD").is_file()


def is_laid_out(path: Path) -> bool:
    """The files of its commit have been put into it: until then they would count as deleted."""
    return (git_dir(path) / "index").exists()


def git_dir(path: Path) -> Path:
    """The worktree's own git folder."""
    text = (path / ".git").read_text(errors="surrogateescape")
    return path / text.removeprefix("gitdir: ").removesuffix("\n")


def common_dir_of(root: Path) -> Path:
    """The folder that all worktrees of a repository share, as one of them has it on record."""
    own = root / ".git"
    if own.is_dir():
        return own
    admin = git_dir(root)
    shared = admin / "commondir"
    return (
        (admin / shared.read_text(errors="surrogateescape").removesuffix("\n")).resolve() if shared.exists() else admin
    )


def current_branch(path: Path) -> str:
    """Empty: none."""
    return _branch_in(git_dir(path) / "HEAD")


def _branch_in(head: Path) -> str:
    text = head.read_text(errors="surrogateescape").strip()
    return text.removeprefix("ref: refs/heads/") if text.startswith("ref: ") else ""


def checkouts_of(branch: str, common_dir: Path) -> Iterator[Path]:
    """Folders that are on the branch: moved under them, it would leave them with changes nobody made."""
    heads = [(common_dir / "HEAD", common_dir.parent)]
    for registered in (common_dir / "worktrees").glob("*/gitdir"):
        text = registered.read_text(errors="surrogateescape").strip()
        heads.append((registered.with_name("HEAD"), Path(text).parent))
    for head, folder in heads:
        try:
            is_on_it = _branch_in(head) == branch
        except OSError:
            continue
        if is_on_it and (folder / ".git").exists():
            yield folder


def remove_stale_locks(path: Path) -> None:
    """A run killed in the middle of a git command leaves its lock; nobody else uses this folder now."""
    for name in _LOCKS:
        (git_dir(path) / name).unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Makes room for a worktree where something else is: that stays beside it, under another name."""
    for number in range(1, 1000):
        aside = path.with_name(f"{path.name}.found-{number}")
        if not aside.exists() and not aside.is_symlink():
            path.rename(aside)
            return aside
    raise GitFailed(f"{path} is in the way, and so are a thousand others beside it")
