"""Whether anything more comes of a session by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.planning import asked, drafted, instructed, proposed, scored, surveyed, written
from tests.support.resting import Walk
from tests.support.sessions import AT, a_session, after, block

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.plan import Assent
from toryo.domain.planning import Question
from toryo.domain.session import Session
from toryo.rules.resting import rests

OPEN, EASY = Question("Which one?"), Question("Which one?", default="this")


@pytest.mark.covers("P28")
@given(st.integers(0, 1000), st.integers(0, 60))
def test_exactly_where_whoever_conducts_would_leave_it(seed: int, trouble: int) -> None:
    def look(session: Session, wanted: frozenset[fx.Effect]) -> None:
        assert rests(session) == (not wanted)

    end = Walk(a_session("A", "B", parallel=2, attempts=2), seed, trouble, look).to_rest()
    assert rests(end)


@pytest.mark.covers("P28")
def test_not_while_it_waits_for_its_turn() -> None:
    asks = asked(surveyed(instructed()), OPEN)
    assert rests(asks)
    queued = after(asks, e.SessionQueued(AT))
    assert not rests(queued)
    assert rests(after(queued, e.SessionTakenUp(AT)))
    assert rests(after(queued, e.SessionPaused(AT, "stopped by a person")))


@pytest.mark.covers("P28")
@pytest.mark.parametrize(
    ("assent", "question", "is_at_rest"),
    [
        (Assent.NONE, EASY, True),
        (Assent.DEFAULTS, EASY, False),
        (Assent.PLAN, EASY, False),
        (Assent.PLAN, OPEN, True),
    ],
)
def test_not_at_questions_that_were_answered_beforehand(assent: Assent, question: Question, is_at_rest: bool) -> None:
    assert rests(asked(surveyed(instructed(assent=assent)), question)) is is_at_rest


@pytest.mark.covers("P28")
@pytest.mark.parametrize(
    ("assent", "points", "is_at_rest"),
    [(Assent.NONE, 95, True), (Assent.DEFAULTS, 95, True), (Assent.PLAN, 95, False), (Assent.PLAN, 10, True)],
)
def test_not_at_a_plan_that_was_approved_beforehand(assent: Assent, points: int, is_at_rest: bool) -> None:
    session = scored(drafted(written(asked(surveyed(instructed(assent=assent)))), "A"), points)
    assert rests(proposed(session)) is is_at_rest


def test_not_before_it_is_paused_for_what_is_blocked() -> None:
    session = block(a_session("A"), "A")
    assert rests(session) is False
    assert rests(after(session, e.SessionPaused(AT, "1 blocked task", waits_for_person=True)))
