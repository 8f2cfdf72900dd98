"""What was typed before: whole, private, bounded, also where two add to it at once."""

import multiprocessing
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.adapters import historyfile
from toryo.adapters.historyfile import HistoryFile


@given(st.lists(st.text(max_size=50), max_size=8))
def test_everything_comes_back_in_order(tmp_path_factory: pytest.TempPathFactory, typed: list[str]) -> None:
    path = tmp_path_factory.mktemp("history") / "file"
    for text in typed:
        HistoryFile(path).add(text)
    assert HistoryFile(path).entries() == typed


def test_it_is_private_and_its_folder_too(tmp_path: Path) -> None:
    path = tmp_path / "store" / "file"
    assert HistoryFile(path).add("x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_half_a_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'"one"\n"tw')
    assert HistoryFile(path).add("three")
    assert HistoryFile(path).entries() == ["one", "three"]


def _add(path: Path, name: str) -> None:
    for number in range(300):
        HistoryFile(path).add(f"{name}{number} {'x' * 100}")


def test_two_at_once_lose_nothing_also_while_the_oldest_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(historyfile, "MOST", 20_000)
    path = tmp_path / "file"
    both = [multiprocessing.get_context("fork").Process(target=_add, args=(path, name)) for name in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
        assert process.exitcode == 0
    kept = HistoryFile(path).entries()
    assert len(kept) > 80 and path.stat().st_size <= 20_000 + 200
    for name in "ab":
        numbers = [int(text.split()[0][1:]) for text in kept if text.startswith(name)]
        assert numbers == list(range(300 - len(numbers), 300)), "none of the latest is missing"
    assert not list(tmp_path.glob(".history-*"))


def test_where_nothing_can_be_written_nothing_fails(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.mkdir()
    assert not HistoryFile(path).add("x")
    assert HistoryFile(path).entries() == []
    assert not HistoryFile(tmp_path / "long").add("x" * 100_000)
