"""A broken journal is set aside, and everything in it that can still be read is brought over."""

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from toryo.domain.events import UnknownEvent
from toryo.domain.moves import IllegalMove
from toryo.domain.session import Session
from toryo.journal.codec import Unreadable, decode
from toryo.journal.sqlite import SqliteJournal
from toryo.rules.evolve import evolve

_PARTS = ("", "-wal", "-shm")


def set_aside_and_recover(path: Path) -> tuple[Path, int]:
    """Moves the broken files to `….broken-<time>` and puts a new journal in place; how many events it recovered.

    The new one is complete before the old one moves: whatever stops us half way, there is a journal.
    """
    kept = _unbroken_prefixes(_readable_rows(path))
    new = path.with_name(f"{path.name}.new-{os.getpid()}")
    journal = SqliteJournal(new)
    journal.restore(kept)
    journal.close()
    broken = path.with_name(f"{path.name}.broken-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
    for part in _PARTS:
        source = path.with_name(path.name + part)
        if source.exists():
            source.rename(broken.with_name(broken.name + part))
    new.rename(path)
    return broken, len(kept)


def _readable_rows(path: Path) -> list[tuple[Any, ...]]:
    """Row by row, both ways, so that a bad page costs only what is on it."""
    rows: dict[tuple[str, int], tuple[Any, ...]] = {}
    try:
        db = sqlite3.connect(path)
    except sqlite3.Error:
        return []
    try:
        for order in ("ASC", "DESC"):
            try:
                for row in db.execute(f"SELECT * FROM events ORDER BY stream {order}, seq {order}"):
                    if isinstance(row[0], str) and isinstance(row[1], int):
                        rows[row[0], row[1]] = row
            except sqlite3.Error:
                continue
        for stream in {stream for stream, _ in rows}:
            _step_through(db, stream, rows)
    finally:
        db.close()
    return list(rows.values())


def _step_through(db: sqlite3.Connection, stream: str, rows: dict[tuple[str, int], tuple[Any, ...]]) -> None:
    """Fills gaps as far as the events go on without one: what comes later is of no use anyway."""
    seq = 1
    while True:
        if (stream, seq) not in rows:
            try:
                row = db.execute("SELECT * FROM events WHERE stream = ? AND seq = ?", (stream, seq)).fetchone()
            except sqlite3.Error:
                return
            if row is None:
                return
            rows[stream, seq] = row
        seq += 1


def _unbroken_prefixes(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """A fold needs every event up to a point: what comes after a gap, or no longer folds, cannot be used."""
    kept: list[tuple[Any, ...]] = []
    sessions: dict[str, Session | None] = {}
    for row in sorted(rows, key=lambda row: (row[0], row[1])):
        stream, seq, _, kind, version, body = row
        session = sessions.get(stream)
        if seq != (session.seq if session else 0) + 1:
            continue
        try:
            sessions[stream] = evolve(session, decode(kind, version, body))
        except (Unreadable, UnknownEvent, IllegalMove, LookupError):
            continue
        kept.append(row)
    return kept
