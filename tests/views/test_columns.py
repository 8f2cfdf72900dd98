"""Columns line up, also where characters are two cells wide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from toryo.frontends.tui.branches.lines import cut
from toryo.views.columns import clipped, columns, letters, width
from toryo.views.folding import folded

WORDS = st.text(alphabet="ab 試験ｱ…é\u0301", max_size=12)


@pytest.mark.covers("B11")
@pytest.mark.parametrize(
    ("text", "cells"),
    [("", 0), ("abc", 3), ("試験", 4), ("ｱｲ", 2), ("Ａ", 2), ("e\u0301", 1), ("a試", 3), ("…", 1)],
)
def test_width(text: str, cells: int) -> None:
    assert width(text) == cells


@pytest.mark.parametrize(
    "text",
    [
        "👨‍👩‍👧‍👦",
        "⚠️ ok",
        "⭐️",
        "❤️",
        "1️⃣",
        "👍🏽",
        "🇯🇵",
        "สวัสดี",
        "हिन्दी",
        "a\u200bb",
        "か\u3099",
        "\u1112\u1161\u11ab",
        "©️ ™️",
        "\xad",
    ],
)
def test_pictures_and_scripts_with_signs_above_and_below_are_as_wide_as_the_screen_draws_them(text: str) -> None:
    assert width(text) == cell_len(text)
    assert width(f"|{text}|") == cell_len(text) + 2


def test_what_is_drawn_as_one_is_never_cut_in_two() -> None:
    family = "👨‍👩‍👧‍👦"
    assert list(letters(f"a{family}e\u0301")) == ["a", family, "e\u0301"]
    assert clipped(f"ab{family}cd", 5) == f"ab{family}…"
    assert clipped(f"ab{family}cd", 4) == "ab…"
    assert folded(f"ab{family}{family}", 4) == [f"ab{family}", family]
    assert cut(f"ab{family}cd-{family}", 6) == f"ab…{family} "


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("short", 10, "short"),
        ("exactly", 7, "exactly"),
        ("too long", 7, "too lo…"),
        ("試験試験", 8, "試験試験"),
        ("試験試験", 7, "試験試…"),
        ("試験試験", 6, "試験…"),
        ("two\nlines\there", 20, "two lines here"),
        ("  blanks  ", 20, "blanks"),
        ("ab", 1, "…"),
    ],
)
def test_clipped(text: str, cells: int, expected: str) -> None:
    assert clipped(text, cells) == expected


@given(WORDS, st.integers(1, 20))
def test_clipped_fits_and_says_when_something_is_missing(text: str, cells: int) -> None:
    shown = clipped(text, cells)
    assert width(shown) <= cells
    whole = " ".join(text.split())
    assert shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1]))


def test_columns() -> None:
    rows = [("A", "試験", "x"), ("BBB", "t", "a longer one")]
    assert columns(rows, ("KEY", "TITLE", "SAYS")) == [
        "KEY  TITLE  SAYS",
        "A    試験   x",
        "BBB  t      a longer one",
    ]


def test_nothing_to_show() -> None:
    assert columns([]) == []
    assert columns([], ("KEY", "TITLE")) == ["KEY  TITLE"]


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=6))
def test_the_last_column_begins_in_the_same_cell_everywhere(rows: list[tuple[str, str, str]]) -> None:
    marked = [(first, second, "|" + last) for first, second, last in rows]
    lines = columns(marked)
    assert len(lines) == len(rows)
    ends = ["|" + last.rstrip() for _, _, last in rows]
    assert len({width(line.removesuffix(end)) for line, end in zip(lines, ends, strict=True)}) == 1
    assert all(line == line.rstrip() for line in lines)


def test_rows_of_different_lengths_are_a_mistake() -> None:
    with pytest.raises((ValueError, IndexError)):
        columns([("a", "b"), ("c",)])


def test_long_cells_give_way_where_there_is_little_room() -> None:
    rows = [("A", "とても長い題名とても長い題名とても長い題名", "integrated"), ("B", "short", "queued")]
    assert columns(rows, ("KEY", "TITLE", "STATE"), 40) == [
        "KEY  TITLE                    STATE",
        "A    とても長い題名とても長…  integrated",
        "B    short                    queued",
    ]
    assert columns(rows, ("KEY", "TITLE", "STATE"), 200) == columns(rows, ("KEY", "TITLE", "STATE"))


@given(st.lists(st.tuples(WORDS, st.text(alphabet="a試", max_size=60)), min_size=1, max_size=4))
def test_no_line_is_wider_than_its_room(rows: list[tuple[str, str]]) -> None:
    assert all(width(line) <= 40 for line in columns(rows, room=40))
