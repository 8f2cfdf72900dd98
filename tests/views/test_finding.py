"""What counts as the same when somebody searches, and where in a row it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.frontends.tui.watching.matches import Matches
from toryo.views.finding import alike, found_words, spans


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("An error, an Error", "ERROR", ["error", "Error"]),
        ("Ｅｒｒｏｒ と error", "error", ["Ｅｒｒｏｒ", "error"]),
        ("日本語の行", "本語", ["本語"]),
        ("㈱東京", "株", ["㈱"]),
        ("Straße", "STRASSE", ["Straße"]),
        ("aaa", "aa", ["aa"]),
        ("nothing", "x", []),
        ("nothing", "", []),
    ],
)
@pytest.mark.covers("B11")
def test_what_is_found_and_marked(text: str, wanted: str, found: list[str]) -> None:
    assert [text[begin:end] for begin, end in spans(text, alike(wanted))] == found


@given(st.text(), st.text(max_size=3))
def test_marks_lie_in_the_text_and_follow_each_other(text: str, wanted: str) -> None:
    ends = [0, *(place for span in spans(text, alike(wanted)) for place in span), len(text)]
    assert all(begin <= end for begin, end in zip(ends[::2], ends[1::2], strict=True))
    assert ends == sorted(ends) or len(ends) > 4  # two marks may share a letter that stands for several


def test_a_match_is_on_the_row_that_shows_it_or_where_it_begins_to() -> None:
    matches = Matches("needle", 20)
    matches.add(["needle", "nothing", "x" * 30 + " needle", "y" * 17 + "needle" + "y" * 30])
    assert matches.places == [(0, 0), (2, 1), (3, 0)]
    assert [matches.next_after(place) for place in ((0, 0), (0, 1), (2, 1), (9, 0))] == [0, 1, 1, 0]


def test_how_much_was_found_in_words() -> None:
    assert found_words(2, 17, is_whole=True) == "2 of 17"
    assert found_words(0, 0, is_whole=True) == "not found"
    assert found_words(0, 0, is_whole=False) == "searching …"
