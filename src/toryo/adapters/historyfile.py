"""What was typed before, in a file that several processes may add to at once."""

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MOST = 1 << 20
"""Bytes; where there are more, the older half is forgotten."""
_LONGEST = 50_000
"""Characters; what is longer was hardly typed."""


class HistoryFile:
    """A line of JSON for each, oldest first. Where the disk cannot be written, nothing is kept, and nothing fails."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> list[str]:
        """Oldest first; what is no entry is passed over."""
        try:
            return list(_read(self.path.read_bytes()))
        except OSError:
            return []

    def add(self, text: str) -> bool:
        """Whether it is kept."""
        if len(text) > _LONGEST:
            return False
        line = json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        try:
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            with self._alone() as descriptor:
                # A disk that was full may have left half a line: what is added now must not become part of it.
                size = os.fstat(descriptor).st_size
                is_whole = not size or os.pread(descriptor, 1, size - 1) == b"\n"
                os.write(descriptor, line if is_whole else b"\n" + line)
                self._forget_oldest(descriptor)
        except OSError:
            return False
        return True

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """The file, for us alone; another may have put a new one in its place while we waited."""
        while True:
            descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if _is_same(descriptor, self.path):
                    yield descriptor
                    return
            finally:
                os.close(descriptor)

    def _forget_oldest(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        if size <= MOST:
            return
        _, _, kept = os.pread(descriptor, size, size - MOST // 2).partition(b"\n")
        new, name = tempfile.mkstemp(dir=self.path.parent, prefix=".history-")
        try:
            with os.fdopen(new, "wb") as file:
                file.write(kept)
            Path(name).replace(self.path)
        except OSError:
            with suppress(OSError):
                Path(name).unlink()
            raise


def _is_same(descriptor: int, path: Path) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(descriptor)
    return (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)


def _read(content: bytes) -> Iterator[str]:
    for line in content.splitlines():
        with suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, str):
                yield entry
