"""Reading along in what a run prints: masked, without what steers a terminal, and each line once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from toryo.app import watchingruns
from toryo.app.spooling import BLOCK, Spool
from toryo.app.watchingruns import Lines, OutputReader, Source

_SECRET = "sk-ant-api03-" + "a1B2c3D4" * 10


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[OutputReader]:
    """Of a run without a protocol that is at work."""
    reader = OutputReader(Source(tmp_path, "output.log", is_masked=False, has_ended=False))
    yield reader
    reader.close()


def read(reader: OutputReader) -> Lines:
    told, is_behind = reader.read()
    assert not is_behind
    return told


def read_all(reader: OutputReader) -> tuple[list[str], Lines]:
    """All lines, and what was told last."""
    lines, is_behind = [], True
    while is_behind:
        told, is_behind = reader.read()
        lines += told.lines
    return lines, told


def test_a_log_is_read_on_where_it_was_and_ends_with_its_run(reader: OutputReader, tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    assert read(reader) == Lines(), "there is nothing yet"
    with log.open("w") as file:
        file.write("one\ntw")
        file.flush()
        assert read(reader).lines == ("one",)
        file.write("o\nContinue? [y/N] ")
        file.flush()
        assert read(reader) == Lines(("two",), "Continue? [y/N] ")
        assert read(reader) == Lines(), "nothing is told twice"
    (tmp_path / "masked").touch()
    assert read(reader) == Lines(("Continue? [y/N] ",), is_over=True)


def test_half_a_secret_is_not_shown_and_a_whole_one_is_masked(reader: OutputReader, tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    with log.open("w") as file:
        file.write(f"key {_SECRET[:40]}")
        file.flush()
        assert read(reader) == Lines()
        file.write(f"{_SECRET[40:]}\n")
        file.flush()
        (line,) = read(reader).lines
    assert line.startswith("key [MASKED")


def test_a_log_replaced_by_its_masked_form_goes_on_any_other_begins_anew(reader: OutputReader, tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text(f"one\n{_SECRET}\n")
    assert len(read(reader).lines) == 2
    (tmp_path / "exit").write_text('{"code": 0}')
    masked = tmp_path / "draft"
    masked.write_text("one\n[MASKED]\n")
    masked.replace(log)
    assert read(reader) == Lines(), "the same, as it is kept"
    (tmp_path / "exit").unlink()
    assert read(reader) == Lines(("one", "[MASKED]"), is_new=True), "who writes a log of a run at work anew, means it"
    log.write_text("short\n")
    assert read(reader) == Lines(("short",), is_new=True)


def test_lines_are_as_a_terminal_would_have_left_them(reader: OutputReader, tmp_path: Path) -> None:
    said = {
        b"\x1b[1mbold\x1b[0m\r": "bold",
        b"10%\r20%\r": "20%",
        b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
        b"a\tb": "a   b",
        b"\x1b]0;never closed": "0;never closed",
        b"x\x07\xff": "x��",
    }
    (tmp_path / "output.log").write_bytes(b"".join(line + b"\n" for line in said))
    assert read(reader).lines == tuple(said.values())


def test_of_a_line_without_end_only_the_beginning_is_kept(reader: OutputReader, tmp_path: Path) -> None:
    (tmp_path / "output.log").write_text("word " * 600_000 + "\nend\n")
    lines, _ = read_all(reader)
    assert lines[-1] == "end"
    assert [len(line) < 11_000 for line in lines] == [True, True]


def test_of_an_enormous_log_the_end_is_told_and_that_the_rest_is_left_out(
    reader: OutputReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchingruns, "_CHUNK", 1_000)
    monkeypatch.setattr(watchingruns, "_MOST", 10_000)
    monkeypatch.setattr(watchingruns, "_AHEAD", 5_000)
    (tmp_path / "output.log").write_text("".join(f"line {number}\n" for number in range(10_000)))
    (tmp_path / "masked").touch()
    lines, last = read_all(reader)
    assert last.is_cut
    assert lines[-1] == "line 9999"
    assert 900 < len(lines) < 1_100


def test_a_spool_gives_back_what_was_put_in_wherever_one_looks() -> None:
    spool, lines = Spool(), [f"行 {number}" for number in range(3 * BLOCK + 5)]
    for start in range(0, len(lines), 7):
        spool.add(lines[start : start + 7])
    assert spool.count == len(lines)
    assert [line for block in spool.blocks() for line in block] == lines
    assert spool.block(4) == []
