"""What somebody is told who is there while sessions go on."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import AT, a_session, after, ask, block, start

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.session import SessionState
from toryo.rules.evolve import evolve
from toryo.views.tidings import bar_words, rest_lines, tiding_lines


def _mentioned(text: str) -> str:
    return text.replace("toryo ", "/")


def test_a_flood_becomes_a_few_lines() -> None:
    session = a_session("A")
    lines = tiding_lines([(session, e.PersonSaid(AT, f"word {number}")) for number in range(50)])
    assert len(lines) == 8
    assert lines[0] == f"… 43 more: /logs {session.short}"
    assert "word 49" in lines[-1]


def test_a_session_that_blocks_says_so_once_with_what_to_type() -> None:
    running = a_session("A")
    blocked = after(block(running, "A"), e.SessionPaused(AT, "1 task is blocked", waits_for_person=True))
    lines = rest_lines(running, blocked, _mentioned)
    assert lines[0].endswith("waits for you: 1 task is blocked")
    assert any("/retry A" in line for line in lines)
    assert not any("toryo " in line for line in lines)
    assert rest_lines(blocked, blocked, _mentioned) == []
    assert rest_lines(running, running, _mentioned) == []


def test_what_an_agent_says_stays_as_it_said_it() -> None:
    running = a_session("A")
    asked = after(
        ask(start(running, "A"), "A", "May I call toryo status?"), e.SessionPaused(AT, "1 asks", waits_for_person=True)
    )
    lines = rest_lines(running, asked, _mentioned)
    assert any("May I call toryo status?" in line for line in lines)
    assert any(line.startswith("  → ") and "toryo " not in line for line in lines)


def test_who_stopped_it_is_not_told_again() -> None:
    session = a_session("A")
    stopped = evolve(session, e.SessionPaused(AT, "stopped by a person"))
    assert rest_lines(session, stopped, _mentioned) == []


@given(st.integers(0, 5), st.booleans())
def test_the_bar_begins_with_what_is_worked_on(queued: int, is_conducted: bool) -> None:
    session = a_session("A", "B")
    words = bar_words(session, queued, is_conducted=is_conducted, now=AT)
    assert words[0].startswith(session.short)
    assert (f"{queued} queued" in words) == bool(queued)
    assert words[1] == ("0 of 2 done" if is_conducted else f"nobody works on it: /resume {session.short}")
    assert bar_words(None, queued, is_conducted=False, now=AT)[0] == "nothing is being worked on"


def test_the_bar_says_how_often_the_model_was_asked_once() -> None:
    session = changed(a_session("A", "B"), calls=5)
    assert bar_words(session, 0, is_conducted=True, now=AT)[1:] == ["0 of 2 done", "5 calls"]
    planning = changed(session, state=SessionState.PLANNING)
    assert bar_words(planning, 0, is_conducted=True, now=AT)[1:] == ["planning", "5 calls"]
