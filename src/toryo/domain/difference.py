"""What differs between two commits, line by line."""

from toryo.domain.evidence import Change
from toryo.domain.facts import fact

Line = tuple[int, str]
"""A line's number, from 1, and its text without its end."""


@fact
class Hunk:
    """Lines that took the place of others; numbers are those of the file before and after."""

    removed: tuple[Line, ...]
    added: tuple[Line, ...]


def readable(path: str) -> str:
    """File names are bytes; what is not UTF-8 is shown escaped, so that it can be stored and printed."""
    return path.encode(errors="surrogateescape").decode(errors="backslashreplace")


@fact
class FileDifference:
    """One file that differs; a renamed one is one file."""

    path: str
    """As the file system has it, with what is not UTF-8 escaped as Python does."""
    change: Change
    old_path: str = ""
    """Where it was before, if it was elsewhere."""
    hunks: tuple[Hunk, ...] = ()
    is_text: bool = True
    """Its lines could be compared: it is a file, not binary, not too large."""
    base: str = ""
    """The id of its content before; empty: there was none."""

    @property
    def name(self) -> str:
        return readable(self.path)

    @property
    def added(self) -> tuple[Line, ...]:
        return tuple(line for hunk in self.hunks for line in hunk.added)

    @property
    def removed(self) -> tuple[Line, ...]:
        return tuple(line for hunk in self.hunks for line in hunk.removed)


@fact
class Difference:
    files: tuple[FileDifference, ...] = ()
    unread: tuple[str, ...] = ()
    """Changed files whose lines were left out, because there are too many."""
