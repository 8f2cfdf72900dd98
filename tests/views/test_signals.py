"""What agents tell, as a person reads it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import anything

from toryo.domain import signals as s
from toryo.domain.report import Trouble, Usage
from toryo.views.signals import Teller, clip, signal_lines

NOON = time.mktime((2026, 11, 16, 12, 30, 0, 0, 0, -1))
ANY = st.one_of(*(anything(kind) for kind in s.Signal.__subclasses__()))
MOMENTS = st.sampled_from([0.0, -1e15, 1.0, NOON, 4e9, 1e15])


def told(*signals: s.Signal) -> str:
    teller = Teller()
    return "".join(map(teller.tell, signals))


@pytest.mark.parametrize(
    ("signal", "lines"),
    [
        (s.Said("One.\nTwo.\n"), ["One.", "Two."]),
        (s.Used("shell", "ls -l"), ["▸ shell: ls -l"]),
        (s.Used("think"), ["▸ think"]),
        (s.Used("shell", "cat <<E\nlong\nE"), ["▸ shell: cat <<E …"]),
        (s.Got("a\nb\n"), ["  │ a", "  │ b"]),
        (s.Got("no such file", failed=True), ["  ✗ no such file"]),
        (s.Got("\n".join("abcdefg")), ["  │ a", "  │ b", "  │ c", "  │ d", "  │ e", "  │ … 2 more lines"]),
        (s.Asked(" may I? "), ["? may I?"]),
        (s.Stalled(Trouble.API, "no answer"), ["! model API error, it tries again: no answer"]),
        (s.Stalled(Trouble.QUOTA, "enough", NOON), ["! usage limit (until 12:30), it tries again: enough"]),
        (s.Failed(Trouble.QUOTA, "enough", NOON), ["✗ usage limit (until 12:30): enough"]),
        (s.Failed(Trouble.LOGIN, "no key"), ["✗ not logged in: no key"]),
        (s.Finished("Done."), ["■ end of turn"]),
        (s.Noted("  a warning  "), ["  a warning"]),
    ],
)
def test_what_a_person_sees(signal: s.Signal, lines: list[str]) -> None:
    assert list(signal_lines(signal)) == lines


@pytest.mark.parametrize(
    "signal", [s.Named("talk"), s.Took(), s.Spent(Usage(1)), s.Elsewhere("/x"), s.Said(" "), s.Noted(""), s.Got("")]
)
def test_what_says_nothing_to_a_person(signal: s.Signal) -> None:
    assert list(signal_lines(signal)) == []
    assert told(signal) == ""


def test_pieces_are_put_together_again() -> None:
    pieces = [s.Said(piece, is_piece=True) for piece in ("I ", "went ", "left.")]
    assert told(*pieces) == "I went left."
    assert told(*pieces, s.Took(), s.Used("shell", "ls"), s.Got("a")) == "I went left.\n▸ shell: ls\n  │ a\n"
    assert told(*pieces, s.Said("\n", is_piece=True), s.Finished()) == "I went left.\n■ end of turn\n"
    assert told(*pieces, s.Said("", is_piece=True), s.Finished()) == "I went left.\n■ end of turn\n"
    assert told(*pieces, s.Spent(Usage(1)), s.Said(" Then on.", is_piece=True)) == "I went left. Then on."


def test_a_line_nobody_would_read_is_cut() -> None:
    assert clip("short") == "short"
    assert clip("first\nsecond") == "first …"
    assert clip("x" * 500) == "x" * 400 + " …"


@given(st.lists(ANY, max_size=8))
def test_whatever_is_told_can_be_shown(signals: list[s.Signal]) -> None:
    text = told(*signals)
    assert isinstance(text, str)
    for signal in signals:
        assert all("\n" not in line for line in signal_lines(signal))


@given(st.sampled_from([s.Stalled, s.Failed]), MOMENTS)
def test_whatever_time_an_agent_names_can_be_shown(kind: type[s.Stalled | s.Failed], until: float) -> None:
    assert told(kind(Trouble.QUOTA, "enough", until))
