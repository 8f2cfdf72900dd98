"""The journal in SQLite: durable appends, compare-and-set by primary key, readable by other processes."""

import json
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from toryo.domain.errors import Clash
from toryo.domain.events import Event
from toryo.journal.codec import Damaged, Unreadable, decode, encode
from toryo.journal.upcast import VERSION

LAYOUT = 1
_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_SCHEMA = """
CREATE TABLE events (
    stream TEXT NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL,
    kind TEXT NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
) WITHOUT ROWID;
CREATE TABLE summaries (stream TEXT PRIMARY KEY, seq INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
"""
# The first event of each session, found by jumping from one to the next instead of reading all events.
_STREAMS = """
WITH RECURSIVE
    names(stream) AS (
        SELECT MIN(stream) FROM events
        UNION ALL
        SELECT (SELECT MIN(stream) FROM events WHERE stream > names.stream) FROM names WHERE stream IS NOT NULL
    ),
    opened AS (SELECT e.stream, e.at FROM names JOIN events e ON e.stream = names.stream AND e.seq = 1)
"""


class JournalBroken(Exception):
    """The file is not a journal that SQLite can read."""


class JournalTooNew(Exception):
    """A newer Toryo laid this journal out."""


class SqliteJournal:
    """One connection; used from one thread at a time."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        if not read_only:
            _create_private(path)
        self._db = _connect(path, read_only)
        self.is_blank = False
        """Opened to be read before it was laid out: what is written to it later is not seen here."""
        try:
            self._prepare(read_only)
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise _translated(error) from error

    def _prepare(self, read_only: bool) -> None:
        if not read_only:
            _use_write_ahead_log(self._db)
            self._db.execute("PRAGMA synchronous=FULL")
        layout = self._db.execute("PRAGMA user_version").fetchone()[0]
        if layout > LAYOUT:
            self._db.close()
            raise JournalTooNew(f"the journal has layout {layout}, this version knows {LAYOUT}")
        if layout == 0 and read_only:
            # Made, but not laid out yet: whoever made it was interrupted, and nothing was ever written to it.
            self._db.close()
            self._db = sqlite3.connect(":memory:")
            self._db.executescript(_SCHEMA)
            self.is_blank = True
        elif layout == 0:
            # Two processes may arrive here together; the second finds the tables made.
            self._db.execute("BEGIN IMMEDIATE")
            if self._db.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _SCHEMA.strip().split(";\n"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version={LAYOUT}")
            self._db.execute("COMMIT")

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that change whenever something is written."""
        return (self.path, self.path.with_name(self.path.name + "-wal"))

    def append(self, stream: str, after: int, events: Sequence[Event], summary: Mapping[str, object]) -> None:
        rows = [
            (stream, after + place, event.at, type(event).__name__, VERSION, encode(event))
            for place, event in enumerate(events, 1)
        ]
        body = json.dumps(summary, separators=(",", ":"))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
                self._db.execute("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?)", (stream, after + len(rows), body))
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        except sqlite3.IntegrityError as error:
            raise Clash(stream) from error
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error
        self._ring()

    def _ring(self) -> None:
        """Others are woken by the write-ahead log, which is written before it is synced and can be read: once more."""
        with suppress(OSError):
            os.utime(self.path)

    def read(self, stream: str, after: int = 0) -> list[tuple[int, Event]]:
        rows = self._all(
            "SELECT seq, kind, version, body FROM events WHERE stream = ? AND seq > ? ORDER BY seq",
            stream,
            after,
        )
        try:
            return [(seq, decode(kind, version, body)) for seq, kind, version, body in rows]
        except Damaged as error:
            raise JournalBroken(str(error)) from error

    def rows(self, stream: str) -> list[tuple[int, str, int, str]]:
        """The events as they are stored, readable or not: number, kind, version, body."""
        return self._all("SELECT seq, kind, version, body FROM events WHERE stream = ? ORDER BY seq", stream)

    def streams(self) -> list[str]:
        """Every session, oldest first."""
        return [stream for (stream,) in self._all(f"{_STREAMS} SELECT stream FROM opened ORDER BY at, stream")]

    def summaries(self) -> list[tuple[str, dict[str, Any] | None]]:
        """Every session with its summary, oldest first; None where the summary is not of the latest event."""
        rows = self._all(
            f"{_STREAMS} SELECT o.stream, s.body, s.seq = (SELECT MAX(seq) FROM events WHERE stream = o.stream)"
            " FROM opened o LEFT JOIN summaries s ON s.stream = o.stream ORDER BY o.at, o.stream"
        )
        return [(stream, _summary(body) if body and fresh else None) for stream, body, fresh in rows]

    def heads(self) -> dict[str, int]:
        """The number of the latest event of every session, oldest session first."""
        found = self._all(
            f"{_STREAMS} SELECT stream, (SELECT MAX(seq) FROM events WHERE stream = o.stream)"
            " FROM opened o ORDER BY at, stream"
        )
        return dict(found)

    def change_mark(self) -> int:
        mark: int = self._all("PRAGMA data_version")[0][0]
        return mark

    def _all(self, query: str, *values: object) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _translated(error) from error

    def check(self) -> None:
        """Looks for damage where it costs little: the start of every session and the head of every table."""
        self.streams()
        self._all("SELECT MAX(seq) FROM summaries")

    def check_all(self) -> None:
        """Reads every page and every event; raises JournalBroken where there is damage."""
        found = [row[0] for row in self._all("PRAGMA quick_check")]
        if found != ["ok"]:
            raise JournalBroken(found[0])
        for stream in self.streams():
            with suppress(Unreadable):  # of a newer Toryo, perhaps: whoever wants that session is told
                self.read(stream)

    def restore(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Brings rows over from another journal."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._db.execute("COMMIT")

    def close(self) -> None:
        self._db.close()


def _connect(path: Path, read_only: bool) -> sqlite3.Connection:
    mode = "ro" if read_only else "rw"
    location = f"{path.absolute().as_uri()}?mode={mode}"
    if read_only and not os.access(path.parent, os.W_OK):
        # WAL wants to write its index next to the file even to read; on a read-only disk nobody else writes.
        location += "&immutable=1"
    return sqlite3.connect(location, uri=True, isolation_level=None, timeout=_PATIENCE, check_same_thread=False)


def _use_write_ahead_log(db: sqlite3.Connection) -> None:
    """SQLite does not wait for others by itself here: while one makes the log or takes it away, it says "locked"."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _summary(body: str) -> dict[str, Any] | None:
    """None where it is damaged: it is made anew from the events, as one that is not there."""
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _create_private(path: Path) -> None:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _translated(error: sqlite3.DatabaseError) -> Exception:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if "decode to UTF-8" in str(error):  # of Python's own making, and so without a code
        return JournalBroken("a stored text is damaged")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return JournalBroken(str(error))
    if code == sqlite3.SQLITE_FULL:
        return OSError(28, "No space left on device")
    return error
