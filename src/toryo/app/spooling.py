"""A text of any length, kept in a file without a name: what is shown of it is read when it is shown."""

import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Sequence

BLOCK = 64
"""Lines between two places of the file that are remembered."""
_AT_ONCE = 1 << 16


class Spool:
    """Lines are added by one thread at a time, and may be read by another meanwhile."""

    def __init__(self) -> None:
        with tempfile.TemporaryFile(prefix="toryo-", buffering=0) as file:
            self._file = os.dup(file.fileno())
        # Not before the last one who has it is done: a thread may still be writing when nobody looks any more.
        weakref.finalize(self, os.close, self._file)
        self._places = array("Q", [0])
        """Where each block begins."""
        self._size = 0
        self.count = 0

    def add(self, lines: Sequence[str]) -> None:
        """Each without a line break in it."""
        gathered = bytearray()
        places, count = array("Q"), self.count
        for line in lines:
            gathered += line.encode("utf-8", "replace")
            gathered += b"\n"
            count += 1
            if count % BLOCK == 0:
                places.append(self._size + len(gathered))
        written = memoryview(gathered)
        while written:
            written = written[os.write(self._file, written) :]
        # Last: whoever reads sees only what is there.
        self._size += len(gathered)
        self._places.extend(places)
        self.count = count

    def block(self, number: int) -> list[str]:
        """The lines of one block, as many as there are by now."""
        first = number * BLOCK
        if not 0 <= first < self.count:
            return []
        start = self._places[number]
        end = self._places[number + 1] if number + 1 < len(self._places) else self._size
        pieces = []
        while start < end and (piece := os.pread(self._file, min(end - start, _AT_ONCE), start)):
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces).decode("utf-8", "replace").split("\n")[:-1]

    def blocks(self) -> Iterator[list[str]]:
        number = 0
        while lines := self.block(number):
            yield lines
            number += 1
