"""A branch as one line of the list: its cells, and how wide each may be."""

from collections.abc import Sequence

from toryo.domain.branch import Branch
from toryo.domain.facts import fact
from toryo.views.branches import CURRENT, HEADS, RUNNING, Row, one_line, row_of
from toryo.views.columns import clipped, letters, width

_WIDE = 72
"""Cells from which on whose work it is has a column of its own."""
_LEAST_NAME = 12


@fact
class Line:
    """What is shown of a branch; two equal ones need not be drawn again."""

    key: str
    row: Row
    about: str
    """Whose work it is, or else what its last commit says."""
    is_running: bool

    @property
    def is_current(self) -> bool:
        return self.row.mark == CURRENT

    @property
    def mark(self) -> str:
        """Somebody at work is more than a worktree, also on the branch that is checked out."""
        return f"{RUNNING if self.is_running else ' '}{self.row.mark if self.row.mark != RUNNING else ' '}"


def line_of(branch: Branch, now: float) -> Line:
    row = row_of(branch, now)
    return Line(branch.name, row, row.work or one_line(branch.subject), branch.is_running)


@fact
class Widths:
    """Cells for each column; 0: it is not shown."""

    name: int = 0
    distance: int = 0
    changes: int = 0
    last: int = 0
    """The age; where there is no room for more, who is at work instead."""
    about: int = 0


def measured(lines: Sequence[Line], room: int) -> Widths:
    """What every column gets. Names and words about them share what is left, and words are cut first."""
    rows = [line.row for line in lines]
    names = max((width(row.name) for row in rows), default=0)
    distance, changes, age = (
        _widest([getattr(row, column) for row in rows], getattr(HEADS, column))
        for column in ("distance", "changes", "age")
    )
    left = room - len("▌▶* ") - sum(cells + 1 for cells in (distance, changes) if cells)
    if room < _WIDE:
        work = max((width(line.row.work) for line in lines if line.is_running), default=0)
        last = max(age, min(work, max(left - names - 1, room // 3)))
        return Widths(max(left - last - 1, _LEAST_NAME), distance, changes, last)
    left -= age + 1
    about = max((width(line.about) for line in lines), default=0)
    about = min(about, max(left - names - 1, left // 2))
    return Widths(max(left - about - 1, _LEAST_NAME), distance, changes, age, about)


def _widest(cells: Sequence[str], head: str) -> int:
    """Cells of a column; 0 where there is nothing in it."""
    widest = max(map(width, cells), default=0)
    return max(widest, width(head)) if widest else 0


def cut(text: str, cells: int) -> str:
    """Exactly so many cells; the middle of a long name goes, since names differ at their ends."""
    if width(text) > cells:
        tail = ""
        for letter in reversed(list(letters(text))):
            if width(letter + tail) > (cells - 1) // 2:
                break
            tail = letter + tail
        text = clipped(text, cells - width(tail)) + tail
    return text + " " * (cells - width(text))


def filled(text: str, cells: int, *, is_right: bool = False) -> str:
    """Exactly so many cells; what is too long loses its end."""
    text = clipped(text, cells)
    gap = " " * (cells - width(text))
    return gap + text if is_right else text + gap
