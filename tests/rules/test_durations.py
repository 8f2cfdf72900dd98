"""Lengths of time, as written and as said."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.rules.durations import DURATION_PATTERN, LONGEST, parse_duration, say_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("10m", 600),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("2d", 172800),
        ("340ms", 0.34),
        ("1m340ms", 60.34),
        ("1.5h", 5400),
        ("90", 90),
        (" 5s ", 5),
    ],
)
def test_parses(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "m",
        "x",
        "10 minutes",
        "-5s",
        "0s",
        "0",
        "0h0m",
        "30m1h",
        "1m1m",
        "1e3s",
        "５分",
        "inf",
        "5s\n",
        "1" * 100_000 + "x",
    ],
)
def test_refuses_nonsense(text: str) -> None:
    with pytest.raises(ValueError, match="length of time"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["9" * 50 + "s", "400d", "9" * 50])
def test_refuses_what_nobody_waits_for(text: str) -> None:
    with pytest.raises(ValueError, match="longer than a year"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0s"),
        (-3, "0s"),
        (0.0001, "<1ms"),
        (0.34, "340ms"),
        (0.9996, "1s"),
        (4.2, "4.2s"),
        (5, "5s"),
        (12.4, "12s"),
        (59.6, "1m 00s"),
        (64, "1m 04s"),
        (3599.7, "1h 00m"),
        (7500, "2h 05m"),
        (93600, "1d 02h"),
    ],
)
def test_says(seconds: float, said: str) -> None:
    assert say_duration(seconds) == said


@given(st.floats(min_value=0.001, max_value=LONGEST - 86400))
def test_what_is_said_is_nearly_what_was_meant(seconds: float) -> None:
    assert parse_duration(say_duration(seconds)) == pytest.approx(seconds, rel=0.06, abs=0.0005)


@given(st.text(alphabet="0123456789.dhms -", max_size=12))
def test_parses_only_positive_numbers(text: str) -> None:
    try:
        seconds = parse_duration(text)
    except ValueError:
        return
    assert 0 < seconds <= LONGEST
    assert re.search(DURATION_PATTERN, text)
