"""A long text as the rows of a screen: only those that are looked at are ever there."""

from array import array
from bisect import bisect_right
from collections import OrderedDict

from rich.cells import cell_len, chop_cells

from toryo.app.spooling import BLOCK, Spool
from toryo.domain.facts import fact

_MOST_BLOCKS = 32
_INDENT = "  "
_LEAST_KEPT = 0.6
"""A row is broken at a blank where that leaves at least this share of it filled."""


@fact
class Row:
    text: str
    line: str
    """The whole line that it is a part of."""


def wrapped(line: str, width: int) -> list[str]:
    """Rows of at most so many cells, the first one further left; full-width characters count as two."""
    if (len(line) <= width and line.isascii()) or cell_len(line) <= width:
        return [line]
    rows, before, room = [], "", width
    while cell_len(line) > room:
        row = chop_cells(line, room)[0] or line[0]
        blank = row.rfind(" ")
        if line[len(row) :][:1] not in ("", " ") and blank >= len(row) * _LEAST_KEPT:
            row = row[: blank + 1]
        rows.append(before + row.rstrip())
        line = line[len(row) :].lstrip(" ")
        before, room = _INDENT, max(width - len(_INDENT), 2)
    return [*rows, before + line] if line else rows


class Rows:
    """The rows of a spool at one width. Lines are added by one thread at a time, and looked at by another."""

    def __init__(self, spool: Spool, width: int) -> None:
        self._spool = spool
        self.width = max(1, width)
        self._starts = array("Q", [0])
        """The first row of each block."""
        self._lines = 0
        self.count = 0
        self._known: OrderedDict[tuple[int, int], list[Row]] = OrderedDict()

    @classmethod
    def of(cls, spool: Spool, width: int) -> "Rows":
        rows = cls(spool, width)
        for lines in spool.blocks():
            rows.add(lines)
        return rows

    def add(self, lines: "list[str] | tuple[str, ...]") -> None:
        """What was added to the spool."""
        count = self.count
        for line in lines:
            count += len(wrapped(line, self.width))
            self._lines += 1
            if self._lines % BLOCK == 0:
                self._starts.append(count)
        self.count = count

    def row(self, number: int) -> Row | None:
        if not 0 <= number < self.count:
            return None
        block = bisect_right(self._starts, number) - 1
        rows = self._block(block)
        place = number - self._starts[block]
        return rows[place] if place < len(rows) else None

    def line_at(self, number: int) -> int:
        """The number of the line that a row belongs to."""
        block = bisect_right(self._starts, min(max(number, 0), max(self.count - 1, 0))) - 1
        left = number - self._starts[block]
        for place, line in enumerate(self._spool.block(block)):
            left -= len(wrapped(line, self.width))
            if left < 0:
                return block * BLOCK + place
        return self._lines

    def row_of(self, line: int) -> int:
        """The first row of a line."""
        block, place = divmod(line, BLOCK)
        if block >= len(self._starts):
            return self.count
        before = self._spool.block(block)[:place]
        return self._starts[block] + sum(len(wrapped(each, self.width)) for each in before)

    def _block(self, block: int) -> list[Row]:
        known = (block, min(BLOCK, self._spool.count - block * BLOCK))
        if known not in self._known:
            lines = self._spool.block(block)[: known[1]]
            self._known[known] = [Row(text, line) for line in lines for text in wrapped(line, self.width)]
            while len(self._known) > _MOST_BLOCKS:
                self._known.popitem(last=False)
        return self._known[known]
