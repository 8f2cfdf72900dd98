"""A broken journal is set aside, and what can still be read goes on."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.support.sessions import AT, opening

from toryo.domain import events as e
from toryo.journal.salvage import set_aside_and_recover
from toryo.journal.sqlite import JournalBroken, SqliteJournal
from toryo.rules.evolve import fold

PAGE = 4096


def history(length: int) -> list[e.Event]:
    """A session of that many events."""
    noise = [e.EffectFailed(AT + n, "PlanRun", f"no disk {n} " + "x" * 200, AT, 1) for n in range(length - 3)]
    return [*opening("A", "B"), *noise]


def written(path: Path, *streams: Sequence[e.Event]) -> None:
    with closing(SqliteJournal(path)) as journal:
        for number, events in enumerate(streams):
            journal.append(f"session-{number}", 0, events, {"n": number})


def recovered(path: Path) -> list[list[e.Event]]:
    """Every session of the new journal; each must be an unbroken beginning that folds."""
    with closing(SqliteJournal(path)) as journal:
        journal.check_all()
        streams = []
        for stream in journal.streams():
            rows = journal.read(stream)
            assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
            events = [event for _, event in rows]
            session = fold(events)
            assert session is not None
            assert session.seq == len(events)
            streams.append(events)
        assert all(summary is None for _, summary in journal.summaries()), "summaries are made anew"
        return streams


@pytest.mark.covers("G32")
def test_a_journal_that_is_well_comes_through_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    first, second = history(300), history(5)
    written(path, first, second)
    broken, count = set_aside_and_recover(path)
    assert count == 305
    assert recovered(path) == [first, second]
    assert broken.name.startswith("journal.db.broken-")
    assert broken.exists()


def test_what_is_only_in_the_write_ahead_log_is_recovered_too(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    writer = SqliteJournal(path)
    writer.append("session-0", 0, history(50), {})
    # Files as a killed process leaves them: everything is still in the log.
    copies = {part: path.with_name(path.name + part).read_bytes() for part in ("", "-wal")}
    writer.close()
    assert len(copies["-wal"]) > len(copies[""])
    for part, data in copies.items():
        path.with_name(path.name + part).write_bytes(data)
    _, count = set_aside_and_recover(path)
    assert count == 50
    assert recovered(path) == [history(50)]


@pytest.mark.covers("G32", "B2")
@pytest.mark.parametrize("garbage", [b"", b"\0", b"no database " * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_garbage_is_set_aside_byte_for_byte(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(garbage)
    broken, count = set_aside_and_recover(path)
    assert count == 0
    assert broken.read_bytes() == garbage
    assert recovered(path) == []


@pytest.mark.covers("G32", "B2")
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.99])
def test_a_truncated_file(tmp_path: Path, share: float) -> None:
    path = tmp_path / "journal.db"
    whole = history(400)
    written(path, whole)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    set_aside_and_recover(path)
    for events in recovered(path):
        assert events == whole[: len(events)]


@pytest.mark.covers("G32", "B2")
@pytest.mark.parametrize("seed", range(12))
def test_pages_overwritten_in_the_middle(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "journal.db"
    sessions = [history(150), history(40), history(150)]
    written(path, *sessions)
    data = bytearray(path.read_bytes())
    random = Random(seed)
    pages = random.sample(range(2, len(data) // PAGE), 2)
    for page in pages:
        filling = random.choice([b"\0" * PAGE, b"\xff" * PAGE, random.randbytes(PAGE)])
        data[page * PAGE : (page + 1) * PAGE] = filling
    path.write_bytes(data)
    set_aside_and_recover(path)
    for events in recovered(path):
        assert any(events == whole[: len(events)] for whole in sessions)


@pytest.mark.covers("G32", "B2")
def test_a_bad_page_costs_only_what_is_on_it_and_after_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    first, last = history(400), history(30)
    written(path, first, last)
    data = bytearray(path.read_bytes())
    page = data.index(b"no disk 200 ") // PAGE
    data[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
    path.write_bytes(data)
    with pytest.raises(JournalBroken), closing(SqliteJournal(path)) as journal:
        journal.check_all()
    set_aside_and_recover(path)
    begun, whole = recovered(path)
    assert 150 < len(begun) <= 203
    assert begun == first[: len(begun)]
    assert whole == last


@pytest.mark.covers("G32")
def test_an_event_that_cannot_be_read_ends_its_session_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path, history(20), history(10))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE events SET body = '{' WHERE stream = 'session-0' AND seq = 8")
        db.commit()
    _, count = set_aside_and_recover(path)
    assert count == 17
    assert recovered(path) == [history(20)[:7], history(10)]


def test_an_event_that_is_no_object_ends_its_session_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path, history(20))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE events SET body = '[]' WHERE seq = 8")
        db.commit()
    assert set_aside_and_recover(path)[1] == 7


def test_an_event_that_no_longer_folds_ends_its_session_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path, history(20))
    with closing(sqlite3.connect(path)) as db:
        db.execute("""UPDATE events SET body = replace(body, '"task":1', '"task":7') WHERE seq = 8""")
        db.commit()
    set_aside_and_recover(path)
    assert recovered(path) == [history(20)[:7]]
