"""Where in a long text something is that is searched for: lines, and the rows of each that show it."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from toryo.app.spooling import Spool
from toryo.frontends.tui.watching.rows import wrapped
from toryo.views.finding import alike

Place = tuple[int, int]
"""The number of a line, and which of its rows."""


class Matches:
    """In the order of the text. Lines are added by one thread at a time."""

    def __init__(self, wanted: str, width: int) -> None:
        self._wanted, self._width = wanted, width
        self.places: list[Place] = []
        self._lines = 0

    @classmethod
    def of(cls, spool: Spool, wanted: str, width: int, is_wanted: Callable[[], bool]) -> "Matches":
        """In all that is there; given up where nobody wants it any more."""
        matches = cls(wanted, width)
        for lines in spool.blocks():
            if not is_wanted():
                break
            matches.add(lines)
        return matches

    def add(self, lines: Iterable[str]) -> None:
        for line in lines:
            if self._wanted in alike(line):
                self.places += [(self._lines, row) for row in self._rows(wrapped(line, self._width))]
            self._lines += 1

    def next_after(self, place: Place) -> int:
        """The number of the first that is not before this place; 0 where all are."""
        found = bisect_left(self.places, place)
        return found if found < len(self.places) else 0

    def same_line(self, place: Place) -> Place | None:
        """The one at this place, or else the first of its line: rows are others at another width."""
        for wanted in (place, (place[0], 0)):
            found = bisect_left(self.places, wanted)
            if found < len(self.places) and self.places[found][0] == place[0]:
                return self.places[found]
        return None

    def _rows(self, rows: Sequence[str]) -> list[int]:
        """Those that show it; where it is broken over two, the first of them."""
        if len(rows) == 1:
            return [0]
        shown = [place for place, row in enumerate(rows) if self._wanted in alike(row)]
        return shown or [place for place in range(len(rows) - 1) if self._is_broken(*rows[place : place + 2])] or [0]

    def _is_broken(self, row: str, after: str) -> bool:
        return any(self._wanted in alike(row + between + after.lstrip()) for between in ("", " "))
