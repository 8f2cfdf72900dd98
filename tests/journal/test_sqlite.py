"""The journal keeps what it was given, in order, for every process that looks."""

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sessions import AT, SESSION, opening

from toryo.domain import events as e
from toryo.domain.errors import Clash
from toryo.journal.codec import Unreadable
from toryo.journal.sqlite import LAYOUT, JournalBroken, JournalTooNew, SqliteJournal


@contextlib.contextmanager
def journal_at(folder: Path, *, read_only: bool = False) -> Iterator[SqliteJournal]:
    journal = SqliteJournal(folder / "journal.db", read_only=read_only)
    try:
        yield journal
    finally:
        journal.close()


def noted(number: int) -> e.Event:
    return e.ParallelChanged(AT + number, number)


def test_what_is_appended_can_be_read(tmp_path: Path) -> None:
    events = opening("A")
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, events[:1], {})
        journal.append("s", 1, events[1:], {})
        assert journal.read("s") == list(enumerate(events, 1))
        assert journal.read("s", 2) == [(3, events[2])]
        assert journal.read("s", 3) == []
        assert journal.read("unknown") == []
    with journal_at(tmp_path) as journal:
        assert journal.read("s") == list(enumerate(events, 1))


def test_streams_do_not_mix_and_are_listed_oldest_first(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append("later", 0, [noted(9)], {})
        journal.append("earlier", 0, [noted(1), noted(20)], {})
        assert journal.streams() == ["earlier", "later"]
        assert journal.read("later") == [(1, noted(9))]


@pytest.mark.covers("A6", "G26")
def test_a_place_that_is_taken_clashes_and_nothing_is_written(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, [noted(1), noted(2)], {"n": 2})
        with pytest.raises(Clash):
            journal.append("s", 1, [noted(3), noted(4)], {"n": 99})
        assert journal.read("s") == [(1, noted(1)), (2, noted(2))]
        assert journal.summaries() == [("s", {"n": 2})]
        journal.append("s", 2, [noted(3)], {"n": 3})


@pytest.mark.covers("A6")
def test_of_two_connections_the_second_clashes_and_then_sees(tmp_path: Path) -> None:
    with journal_at(tmp_path) as one, journal_at(tmp_path) as other:
        mark = other.change_mark()
        assert other.change_mark() == mark
        one.append("s", 0, [noted(1)], {})
        assert other.change_mark() != mark
        with pytest.raises(Clash):
            other.append("s", 0, [noted(2)], {})
        assert other.read("s") == [(1, noted(1))]
        other.append("s", 1, [noted(2)], {})
        assert [event for _, event in one.read("s")] == [noted(1), noted(2)]


def test_ones_own_writing_is_no_news(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        mark = journal.change_mark()
        journal.append("s", 0, [noted(1)], {})
        assert journal.change_mark() == mark


def test_summaries_are_fresh_or_none(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append("a", 0, [noted(1)], {"title": "題"})
        journal.append("b", 0, [noted(2)], {"title": "b"})
        assert journal.summaries() == [("a", {"title": "題"}), ("b", {"title": "b"})]
        with contextlib.closing(sqlite3.connect(journal.path)) as db:
            db.execute("UPDATE summaries SET seq = 0 WHERE stream = 'a'")
            db.execute("DELETE FROM summaries WHERE stream = 'b'")
            db.commit()
        assert journal.summaries() == [("a", None), ("b", None)]


@pytest.mark.covers("G32")
def test_nobody_else_may_read_the_file(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with journal_at(tmp_path) as journal:
            journal.append("s", 0, [noted(1)], {})
            files = list(tmp_path.iterdir())
            assert len(files) > 1, "the write-ahead log is there too"
            assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    finally:
        os.umask(old)


@pytest.mark.covers("G32")
def test_every_append_is_durable(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        assert journal._all("PRAGMA journal_mode") == [("wal",)]
        assert journal._all("PRAGMA synchronous") == [(2,)]


# ── several processes ────────────────────────────────────────────────────────

WRITER = """
import sys
from pathlib import Path
from toryo.domain.events import ParallelChanged
from toryo.journal.sqlite import SqliteJournal
from toryo.domain.errors import Clash
journal = SqliteJournal(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), int(sys.argv[2]) + 25):
    while True:
        seen = journal.read("s")
        try:
            journal.append("s", len(seen), [ParallelChanged(1.0, number)], {"count": len(seen) + 1})
            break
        except Clash:
            continue
"""


@pytest.mark.covers("A6")
def test_processes_that_compare_and_set_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "journal.db"), str(number * 1000)])
        for number in range(3)
    ]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0]
    with journal_at(tmp_path, read_only=True) as journal:
        events = journal.read("s")
        assert [seq for seq, _ in events] == list(range(1, 76))
        numbers = [event.parallel for _, event in events if isinstance(event, e.ParallelChanged)]
        assert sorted(numbers) == [1000 * writer + number for writer in range(3) for number in range(25)]
        for writer in range(3):
            own = [number for number in numbers if number // 1000 == writer]
            assert own == sorted(own), "each writer's own order is kept"
        assert journal.summaries() == [("s", {"count": 75})]


# ── reading only ─────────────────────────────────────────────────────────────


def test_opened_for_reading_it_cannot_write(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, [noted(1)], {"n": 1})
    with journal_at(tmp_path, read_only=True) as journal:
        assert journal.read("s") == [(1, noted(1))]
        assert journal.summaries() == [("s", {"n": 1})]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            journal.append("s", 1, [noted(2)], {})


def test_a_reader_sees_what_a_writer_adds_meanwhile(tmp_path: Path) -> None:
    with journal_at(tmp_path) as writer:
        writer.append("s", 0, [noted(1)], {})
        with journal_at(tmp_path, read_only=True) as reader:
            assert len(reader.read("s")) == 1
            writer.append("s", 1, [noted(2)], {})
            assert len(reader.read("s")) == 2


def test_reading_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        SqliteJournal(tmp_path / "journal.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


# ── what is not right ────────────────────────────────────────────────────────


def test_a_newer_layout_is_left_alone(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal._db.execute(f"PRAGMA user_version={LAYOUT + 1}")
    for read_only in (False, True):
        with pytest.raises(JournalTooNew, match=f"layout {LAYOUT + 1}"):
            SqliteJournal(tmp_path / "journal.db", read_only=read_only)


@pytest.mark.parametrize("read_only", [False, True])
def test_garbage_is_no_journal(tmp_path: Path, read_only: bool) -> None:
    (tmp_path / "journal.db").write_bytes(b"this is not a database at all, just some text " * 50)
    with pytest.raises(JournalBroken):
        SqliteJournal(tmp_path / "journal.db", read_only=read_only)


@pytest.mark.covers("G32")
def test_damage_is_found_by_looking_at_everything(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append(SESSION, 0, [noted(number) for number in range(2000)], {})
        journal.check()
        journal.check_all()
    path = tmp_path / "journal.db"
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    with journal_at(tmp_path) as journal, pytest.raises(JournalBroken):
        journal.check_all()


def test_an_event_nobody_understands_stops_the_reading(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, [noted(1)], {})
        journal._db.execute("INSERT INTO events VALUES ('s', 2, 1.0, 'RunTeleported', 1, '{}')")
        with pytest.raises(Unreadable, match="RunTeleported"):
            journal.read("s")


@pytest.mark.covers("G32", "B2")
@pytest.mark.parametrize("body", ["'{\"at\": 1.0,'", "''", "CAST(X'7BFFFE7D' AS TEXT)", "'" + "[" * 100_000 + "'"])
def test_an_event_that_is_no_event_any_more_is_damage(tmp_path: Path, body: str) -> None:
    """Flipped bits in what SQLite takes for a text: not something a newer Toryo wrote."""
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, [noted(1), noted(2)], {})
        journal._db.execute(f"UPDATE events SET body = {body} WHERE seq = 2")
        with pytest.raises(JournalBroken):
            journal.read("s")
        with pytest.raises(JournalBroken):
            journal.check_all()


def test_an_event_of_a_newer_toryo_is_no_damage(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, [noted(1)], {})
        journal._db.execute("INSERT INTO events VALUES ('s', 2, 1.0, 'RunTeleported', 1, '{}')")
        journal.check_all()


def test_making_the_tables_twice_at_once_is_making_them_once(tmp_path: Path) -> None:
    with journal_at(tmp_path) as one, journal_at(tmp_path) as other:
        one.append("s", 0, [noted(1)], {})
        assert other.streams() == ["s"]


def test_a_file_name_that_is_not_unicode(tmp_path: Path) -> None:
    event = e.BasesConflicted(AT, 1, "run", ("caf\udce9.txt",))
    with journal_at(tmp_path) as journal:
        journal.append("s", 0, [event], {"title": "\udce9"})
        assert journal.read("s") == [(1, event)]


def test_an_empty_file_holds_no_sessions(tmp_path: Path) -> None:
    """As a process leaves it that was killed between making the file and making the tables."""
    (tmp_path / "journal.db").touch()
    with journal_at(tmp_path, read_only=True) as journal:
        journal.check()
        assert journal.streams() == []
