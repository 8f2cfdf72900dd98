"""Files that are written whole or not at all."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from toryo.adapters.replacing import put

LONG = 1 << 18


def test_it_is_there_whole_and_for_nobody_else_to_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    for content in (b"first", b""):
        put(path, content, is_durable=True)
        assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_many_who_write_at_once_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    put(path, b"0" * LONG)
    over = threading.Event()

    def write(digit: int) -> None:
        for _ in range(20):
            put(path, b"%d" % digit * LONG)

    def read() -> set[tuple[int, int]]:
        seen = set()
        while not over.is_set():
            content = path.read_bytes()
            seen.add((len(content), len(set(content))))
        return seen

    with ThreadPoolExecutor(5) as threads:
        reading = threads.submit(read)
        for writing in [threads.submit(write, digit) for digit in range(1, 5)]:
            writing.result()
        over.set()
        assert reading.result() == {(LONG, 1)}
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_where_it_cannot_be_written_what_was_there_stays_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        put(path, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_what_somebody_was_killed_over_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / f".kept.json.{threading.get_native_id()}").write_bytes(b"half of it, and longer than the whole")
    put(tmp_path / "kept.json", b"whole")
    assert (tmp_path / "kept.json").read_bytes() == b"whole"
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]


def test_a_link_laid_beside_it_is_not_followed(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"somebody's")
    (tmp_path / f".kept.json.{threading.get_native_id()}").symlink_to(foreign)
    with pytest.raises(OSError, match="symbolic"):
        put(tmp_path / "kept.json", b"ours")
    assert foreign.read_bytes() == b"somebody's"
