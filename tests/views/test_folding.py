"""Long lines, folded."""

from hypothesis import given
from hypothesis import strategies as st

from toryo.views.columns import width
from toryo.views.folding import folded


def test_words_stay_whole_where_they_fit() -> None:
    assert folded("what it changes, and why", 10) == ["what it", "changes,", "and why"]
    assert folded("one\n\ntwo", 10) == ["one", "", "two"]
    assert folded("/a/very/long/path of it", 7) == ["/a/very", "/long/p", "ath of", "it"]


def test_japanese_is_broken_between_characters_but_not_before_a_full_stop() -> None:
    assert folded("- 日本語の説明です。次", 12) == ["- 日本語の説", "明です。次"]
    assert folded("日本語です。", 10) == ["日本語で", "す。"]


@given(st.text(alphabet="ab 日。、ー/-\n"), st.integers(4, 20))
def test_nothing_is_lost_and_nothing_too_wide(text: str, cells: int) -> None:
    lines = folded(text, cells)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(width(line) <= cells for line in lines)
