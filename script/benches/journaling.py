"""A durable append to the journal, against a bare durable insert and a bare write with fsync."""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians
from benches.synthetic import Ring, work_observed
from toryo.domain.events import Event
from toryo.journal.codec import encode
from toryo.journal.sqlite import SqliteJournal

APPENDS, LIMIT = 1000, 10.0


def measure(rounds: int, folder: Path) -> Report:
    ring = Ring(100)
    task = ring.session.tasks[1]
    event = work_observed(task, "run-1", "c" * 40, "d" * 40, time.time())
    size = len(encode(event).encode()) + len(json.dumps(ring.summary))
    with (
        _file(folder, size) as write,
        _bare(folder, event, ring) as insert,
        _journal(folder, event, ring) as append,
    ):
        write_times, insert_times, append_times = in_turns(
            rounds * APPENDS,
            (
                lambda _: milliseconds(write),
                lambda _: milliseconds(insert),
                lambda _: milliseconds(append),
            ),
        )
    append_figure = Figure("SqliteJournal.append", append_times)
    insert_figure = Figure("bare SQLite, FULL: one row, one commit", insert_times)
    figures = (
        Figure(f"write of {size} bytes, fsync", write_times),
        insert_figure,
        append_figure,
        Figure("append to bare SQLite, medians", (ratio_of_medians(append_figure, insert_figure),), "×"),
        Figure("append to bare SQLite, p99", (append_figure.p99 / insert_figure.p99,), "×"),
    )
    target = Target("a journal append, p99", append_figure.p99, LIMIT, "ms")
    about = f"{rounds * APPENDS} appends of one WorkObserved with its summary, in turns with the floors"
    return Report(about, figures, (target,))


@contextmanager
def _journal(folder: Path, event: Event, ring: Ring) -> Iterator[Callable[[], None]]:
    journal = SqliteJournal(folder / "journal.db")
    seq = 0

    def append() -> None:
        nonlocal seq
        journal.append(ring.session.id, seq, [event], ring.summary)
        seq += 1

    try:
        yield append
    finally:
        journal.close()


@contextmanager
def _bare(folder: Path, event: Event, ring: Ring) -> Iterator[Callable[[], None]]:
    """The same bytes as one row, by the shortest way that is as durable."""
    db = sqlite3.connect(folder / "bare.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    body = encode(event) + json.dumps(ring.summary)

    def insert() -> None:
        db.execute("INSERT INTO events (body) VALUES (?)", (body,))

    try:
        yield insert
    finally:
        db.close()


@contextmanager
def _file(folder: Path, size: int) -> Iterator[Callable[[], None]]:
    content = b"x" * size
    descriptor = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write() -> None:
        os.write(descriptor, content)
        os.fsync(descriptor)

    try:
        yield write
    finally:
        os.close(descriptor)


BENCH = Bench(1, measure)
