"""What an agent says while it works, line by line, for somebody who is there all the time and must not be held up."""

import asyncio
import codecs
import os
import re
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import BinaryIO

from toryo.adapters.watching import changes
from toryo.app.configuration import settings_of
from toryo.app.crew import agent_as_started
from toryo.app.project import open_project
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.rules.masking import Masker, mask
from toryo.rules.prompting import without_escapes
from toryo.views.screen import printable

_AT_MOST_EVERY = 0.1
_CHUNK = 1 << 18
_LONGEST = 10_000
"""Characters of a line; nobody reads on."""
_LONGEST_HELD = 1 << 20
_MOST = 1 << 24
"""Bytes that are told; 'toryo logs' tells the rest."""
_AHEAD = 1 << 20
"""Bytes that are only looked through for the beginning of a secret."""
_TAB = 4
_IS_WHOLE = re.compile(r"[\s:：?？>\])]$")


@fact
class Lines:
    """What came since the last time."""

    lines: tuple[str, ...] = ()
    unfinished: str = ""
    """The last line, as far as it has come."""
    is_new: bool = False
    """All that was told before does not count any more."""
    is_over: bool = False
    """Nothing more will come."""
    is_cut: bool = False
    """The beginning is left out: there is too much of it."""


@fact
class Source:
    """Where a run's words are."""

    record: Path
    name: str
    is_masked: bool
    has_ended: bool


async def follow_output(
    root: Path, session_id: str, task: str, run: str | None = None, *, raw: bool = False
) -> AsyncGenerator[Lines, None]:
    """What a run (the latest, or the first there will be) has said, and says; in words where its agent has a protocol.

    Masked, and without what would steer a terminal. Ends with the run.
    """
    source = await _awaited(root, session_id, task, run, raw)
    reader = OutputReader(source)
    files = [source.record / source.name, source.record / "masked"]
    try:
        async with aclosing(changes(files)) as changed:
            async for _ in changed:
                is_behind = True
                while is_behind:
                    told, is_behind = await asyncio.to_thread(reader.read)
                    if told != Lines():
                        yield told
                    if told.is_over:
                        return
                await asyncio.sleep(_AT_MOST_EVERY)
    finally:
        await asyncio.to_thread(reader.close)


async def _awaited(root: Path, session_id: str, task: str, run: str | None, raw: bool) -> Source:
    project = await asyncio.to_thread(open_project, root)
    project.close()
    journal = project.place.store / "journal.db"
    async with aclosing(changes([journal, Path(f"{journal}-wal")])) as changed:
        async for _ in changed:
            if source := await asyncio.to_thread(_found, root, session_id, task, run, raw):
                return source
            await asyncio.sleep(_AT_MOST_EVERY)
    raise AssertionError("changes are told for ever")


def _found(root: Path, session_id: str, key: str, wanted: str | None, raw: bool) -> Source | None:
    project = open_project(root)
    try:
        session = project.load(session_id)
        if key not in session.keys:
            raise ToryoError("E204", f"there is no task {key} in session {session.short}")
        runs = session.task(key).runs
        run = next((run for run in reversed(runs) if wanted in (None, run.id)), None)
        if run is None:
            return None
        record = project.place.store / "runs" / run.id
        agent = None if raw else agent_as_started(settings_of(project), run.agent, record)
        has_ended = run.ended_at is not None
        has_words = agent is not None and agent.abilities.has_protocol
        if has_words and (not has_ended or (record / "readable.log").exists()):
            return Source(record, "readable.log", is_masked=True, has_ended=has_ended)
        return Source(record, "output.log", is_masked=False, has_ended=has_ended)
    finally:
        project.close()


class OutputReader:
    """Where one has got to; used in threads, one at a time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._path = source.record / source.name
        self._file: BinaryIO | None = None
        self._is_closed = False
        self._turn = threading.Lock()
        """Whoever stops following does not wait for the look that is being taken, and it has the file."""
        self._begin()

    def _begin(self) -> None:
        if self._file:
            self._file.close()
        self._file, self._at, self._skips = None, 0, 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._masker = None if self._source.is_masked else Masker()
        self._partial = self._rest = self._shown = ""

    def close(self) -> None:
        with self._turn:
            self._is_closed = True
            if self._file:
                self._file.close()
                self._file = None

    def read(self) -> tuple[Lines, bool]:
        """A piece, and whether there is more."""
        with self._turn:
            if self._is_closed:  # the look had been asked for before, and comes only now
                return Lines(is_over=True), False
            is_over = self._source.has_ended or (self._source.record / "masked").exists()
            is_new = self._reopened()
            chunk = self._read()
            lines = self._lines(chunk) if chunk else ()
            if len(chunk) == _CHUNK:
                return Lines(lines, "", is_new, is_cut=bool(self._skips)), True
            if is_over:
                lines += self._last_lines()
                return Lines(lines, "", is_new, is_over=True, is_cut=bool(self._skips)), False
            unfinished = self._unfinished()
            if not lines and not is_new and unfinished == self._shown:
                return Lines(), False
            self._shown = unfinished
            return Lines(lines, unfinished, is_new, is_cut=bool(self._skips)), False

    def _reopened(self) -> bool:
        """Whether it begins anew. When a run ends, its files may be replaced by their masked form: that is no other."""
        if self._file is None:
            with suppress(OSError):
                self._file = self._path.open("rb", buffering=0)
                self._skip_beginning(self._file)
            return False
        there = os.fstat(self._file.fileno())
        is_replaced = there.st_size < self._at
        if not is_replaced and there.st_size == self._at and not (self._source.record / "exit").exists():
            with suppress(OSError):
                now = self._path.stat()
                is_replaced = (now.st_dev, now.st_ino) != (there.st_dev, there.st_ino)
        if is_replaced:
            self._begin()
            self._reopened()
        return is_replaced

    def _skip_beginning(self, file: BinaryIO) -> None:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST + _AHEAD:
            self._at = size - _MOST - _AHEAD
            self._skips = _AHEAD
            file.seek(self._at)
            self._at += len(file.readline())

    def _read(self) -> bytes:
        if self._file is None:
            return b""
        try:
            chunk = self._file.read(_CHUNK) or b""
        except OSError:
            return b""  # a disk that fails now and then: the next look reads on
        self._at += len(chunk)
        return chunk

    # ── lines ────────────────────────────────────────────────────────────────

    def _lines(self, chunk: bytes) -> tuple[str, ...]:
        whole, newline, partial = self._decoder.decode(chunk).rpartition("\n")
        if not newline:
            self._partial = (self._partial + partial)[:_LONGEST_HELD]
            return ()
        text = _plain(self._partial + whole) + "\n"
        self._partial = partial
        told = self._fitting(self._masker.feed(text) if self._masker else text)
        if self._skips > 1:
            # What comes out of the masker now may be the end of a key of which we have not seen the beginning.
            self._skips = max(1, self._skips - len(chunk))
            return ()
        return told

    def _last_lines(self) -> tuple[str, ...]:
        text = _plain(self._partial)
        if self._masker:
            text = self._masker.feed(text) + self._masker.finish()
        self._partial = ""
        return self._fitting(text + "\n" if text or self._rest else "")

    def _fitting(self, text: str) -> tuple[str, ...]:
        *whole, self._rest = (self._rest + text).split("\n")
        return tuple(map(_fit, whole))

    def _unfinished(self) -> str:
        """Shown where no secret can be in the middle of being written."""
        partial = _plain(self._partial[:_LONGEST])
        if self._masker and not _IS_WHOLE.search(partial):
            return ""
        return _fit(mask(partial))


def _plain(text: str) -> str:
    """Lines as a terminal would have left them."""
    if "\x1b" not in text and "\r" not in text:
        return text
    return "\n".join(without_escapes(line).rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def _fit(line: str) -> str:
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]} … {len(line) - _LONGEST} characters more"
    return printable(line.expandtabs(_TAB)) if not line.isprintable() else line
