"""What reaches a person's screen: every line as it is, but for what would steer the terminal or mislead the eye."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.views.screen import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\twith tabs\n\nand 日本語\n", "plain\n\twith tabs\n\nand 日本語\n"),
        ("a\x1b[2Jb\nc", "a�[2Jb\nc"),
        ("over\rwritten\nback\x08", "over�written\nback�"),
        ("turned \u202e around\nhalf \ud800 a character", "turned � around\nhalf � a character"),
        ("other\x0bends\x0cof\u2028lines\x85", "other�ends�of\u2028lines�"),
        ("", ""),
    ],
)
def test_what_steers_a_terminal_is_shown_as_what_it_is_not(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_a_text_is_shown_as_its_lines_are(text: str) -> None:
    assert printable(text) == "\n".join(map(printable, text.split("\n")))
    assert len(printable(text)) == len(text)
