"""What foreseeing collisions needs from the world."""

from pathlib import Path
from typing import Protocol

from toryo.domain.facts import fact


@fact
class Sight:
    """One line of work to be looked at: a commit, or a worktree as it is now."""

    task: int
    commit: str = ""
    worktree: Path | None = None
    mark: str = ""
    """Where it is the same as at the last look, the worktree is not looked at again."""
    base: str = ""
    """Where it is given, the files changed since then are told too."""
    is_accepted: bool = False
    """It is about to be merged, one after the other: not tried with what is merged, nor with others like it."""


@fact
class Clash:
    """Two lines of work that git cannot merge by itself; `other` None: the merged work."""

    task: int
    other: int | None
    files: tuple[str, ...]


@fact
class Picture:
    """What is known about all that was asked for."""

    clashes: tuple[Clash, ...] = ()
    changed: tuple[tuple[int, tuple[str, ...]], ...] = ()
    unseen: tuple[int, ...] = ()
    """Whose work could not be looked at, or has not been yet."""
    untried: tuple[tuple[int, int | None], ...] = ()
    """Which two have not been tried together yet."""


class Foresight(Protocol):
    """Tries merges without making them: nothing in the repository or its worktrees is touched."""

    def known(self, sights: tuple[Sight, ...], tip: str) -> Picture:
        """What earlier looks say about these, without looking."""

    def look(self, sights: tuple[Sight, ...], tip: str) -> Picture:
        """Looks at what has changed, which takes a while; what was seen is remembered."""
