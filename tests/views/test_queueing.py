"""Who waits for their turn, in which order, and what is said where nobody takes them up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import AT, a_session, after

from toryo.domain import events as e
from toryo.domain.plan import Assent
from toryo.domain.session import Session
from toryo.domain.verdict import Outcome
from toryo.rules.admit import admit
from toryo.rules.budgeting import worked
from toryo.rules.judging import session_outcome
from toryo.views.queueing import at_hand, at_work, queue_of, queue_words, turn_words
from toryo.views.report import next_steps
from toryo.views.sessions import conductor_words
from toryo.views.standing import standing_words, waits_for

TIMES = st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=9)
IDS = [f"session-{number:08x}-0000-4000-8000-000000000000" for number in range(9)]


def queued(session: Session, at: float = AT) -> Session:
    return after(session, e.SessionQueued(at))


def row(number: int, queued_at: float | None, opened_at: float = AT) -> dict[str, Any]:
    return {"id": IDS[number], "queued_at": queued_at, "turn": queued_at, "opened_at": opened_at}


# ── the order ────────────────────────────────────────────────────────────────


@pytest.mark.covers("G14")
@given(TIMES.flatmap(lambda times: st.permutations(list(enumerate(times)))))
def test_whoever_asked_first_is_first_however_they_are_listed(listed: list[tuple[int, int | None]]) -> None:
    rows = [row(number, None if moment is None else AT + moment, AT + number) for number, moment in listed]
    expected = sorted((moment, number) for number, moment in listed if moment is not None)
    assert queue_of(rows) == [IDS[number] for _, number in expected]


def test_what_is_conducted_comes_before_agents_left_alone_and_those_before_what_is_only_unfinished() -> None:
    def one(number: int, state: str, running: int = 0, queued_at: float | None = None) -> dict[str, Any]:
        return row(number, queued_at) | {"state": state, "tasks": {"running": running}}

    rows = [
        one(5, "closed"),
        one(4, "executing", queued_at=AT),
        one(3, "paused"),
        one(2, "executing", 1),
        one(1, "planning"),
    ]
    assert at_work(rows, "") == [IDS[2]]
    assert at_work(rows, IDS[1]) == [IDS[1], IDS[2]]
    assert at_work(rows, IDS[4]) == [IDS[4], IDS[2]], "it is about to be taken up"
    assert at_hand(rows, "") == IDS[2]
    assert at_hand([rows[0], rows[1], rows[2]], "") == IDS[3]
    assert at_hand(rows[:2], "") == IDS[4]
    assert at_hand(rows[:1], "") is None


def test_it_is_said_who_waits_and_what_to_do_where_nobody_takes_them_up() -> None:
    assert queue_words([], None) == queue_words([], 7) == ""
    assert queue_words(IDS[1:3], 7) == "queued: 00000001, 00000002"
    assert queue_words(IDS[1:3], None).startswith("queued: 00000001, 00000002, and nobody takes them up: toryo conduct")
    assert "00000004 and 4 more" in queue_words(IDS, 7)
    assert (turn_words(0), turn_words(1), turn_words(2)) == ("", ", after 1 other", ", after 2 others")


# ── one session ──────────────────────────────────────────────────────────────


def test_who_conducts_another_session_does_not_conduct_this_one() -> None:
    session = a_session("A")
    assert conductor_words(session, 7) == conductor_words(session, 7, session.id) == "conducted by process 7"
    other = conductor_words(session, 7, IDS[1])
    assert other.startswith("session 00000001 is conducted by process 7; nobody is conducting session")
    assert f"'toryo resume {session.short} --detach' goes on" in other
    assert conductor_words(queued(session), 7, IDS[1]).endswith(f"session {session.short} is queued")
    assert "toryo resume" not in conductor_words(queued(session), None)


def test_a_queued_session_says_so_and_what_can_be_done() -> None:
    session = queued(a_session("A"))
    assert standing_words(session.state, waits_for(session), session.queued_at) == "queued"
    steps = "\n".join(next_steps(session, session_outcome(session)))
    assert f"toryo stop {session.short}" in steps
    assert "toryo resume" not in steps


@pytest.mark.covers("G14")
def test_it_can_be_queued_once_and_only_while_it_could_go_on() -> None:
    session = a_session("A")
    again = e.SessionQueued(AT + 9)
    assert admit(session, again)
    assert not admit(queued(session), again), "it keeps its place"
    assert not admit(after(session, e.SessionPaused(AT, "stopped")), again)
    assert not admit(after(session, e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True)), again)
    taken_up = after(queued(session), e.SessionTakenUp(AT + 1))
    assert taken_up.queued_at is None
    assert admit(taken_up, again)
    assert after(queued(session), e.SessionPaused(AT, "stopped")).queued_at is None
    assert after(queued(session), e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True)).queued_at is None


@pytest.mark.covers("B3")
@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_time_in_the_queue_is_not_time_used(before: float, waits: float, works: float) -> None:
    session = queued(a_session("A"), AT + before)
    assert worked(session, AT + before + waits) == pytest.approx(before, abs=1e-3)
    session = after(session, e.SessionTakenUp(AT + before + waits))
    assert worked(session, AT + before + waits + works) == pytest.approx(before + works, abs=1e-3)


def test_a_persons_word_may_come_later_and_holds() -> None:
    session = a_session("A")
    said = after(session, e.AssentGiven(AT, Assent.PLAN))
    assert (session.terms.assent, said.terms.assent) == (Assent.NONE, Assent.PLAN)
    assert not admit(said, e.AssentGiven(AT, Assent.PLAN)), "nothing new"
    assert admit(said, e.AssentGiven(AT, Assent.DEFAULTS))
    closed = after(session, e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True))
    assert not admit(closed, e.AssentGiven(AT, Assent.PLAN))
