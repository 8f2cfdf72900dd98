"""Reading along in files that others are still writing."""

import asyncio
import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from toryo.adapters import watching

CHUNK = 256 * 1024
LONGEST_LINE = 8 * 1024 * 1024
"""What a line has beyond this is left out: output can be anything, memory is not."""


async def follow(files: Sequence[Path]) -> AsyncGenerator[Sequence[str], None]:
    """Whole lines of all files, from the beginning and then as they grow; an empty batch when it starts to wait."""
    readers = [_Reader(path) for path in files]
    is_told = False
    async with aclosing(watching.changes(files)) as changes:
        async for _ in changes:
            behind = readers
            while behind := [reader for reader in behind if reader.read_on()]:
                for reader in behind:
                    if lines := reader.take():
                        yield lines
                        is_told = False
                # Reading never waits, and a large file must not keep all others from going on.
                await asyncio.sleep(0)
            if not is_told:
                yield ()
                is_told = True


class _Reader:
    """Where one has got to in a file. It is not kept open: there may be many, and it may be replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._file: tuple[int, int] | None = None
        self._lines: list[str] = []
        self._rest = bytearray()
        self._is_cutting = False

    def read_on(self) -> bool:
        """Reads a chunk; whether there was anything new."""
        with suppress(OSError):
            found = self._path.stat()
            if self._file != (found.st_dev, found.st_ino) or found.st_size < self._offset:
                self._begin(found)
            if found.st_size > self._offset:
                return self._read()
        return False

    def take(self) -> Sequence[str]:
        lines, self._lines = self._lines, []
        return lines

    def _begin(self, found: os.stat_result) -> None:
        self._file, self._offset = (found.st_dev, found.st_ino), 0
        self._rest.clear()
        self._is_cutting = False

    def _read(self) -> bool:
        with self._path.open("rb", buffering=0) as file:
            file.seek(self._offset)
            chunk = file.read(CHUNK)
        self._offset += len(chunk)
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._add(piece)
            self._end_line()
        self._add(rest)
        return bool(chunk)

    def _add(self, piece: bytes) -> None:
        if self._is_cutting:
            return
        self._rest += piece
        if len(self._rest) > LONGEST_LINE:
            del self._rest[LONGEST_LINE:]
            self._deliver()
            self._is_cutting = True

    def _end_line(self) -> None:
        if not self._is_cutting:
            self._deliver()
        self._is_cutting = False

    def _deliver(self) -> None:
        self._lines.append(self._rest.removesuffix(b"\r").decode("utf-8", "replace"))
        self._rest.clear()
