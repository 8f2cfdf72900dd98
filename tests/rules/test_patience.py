"""Waiting grows, stays bounded, and keeps retries apart; a run may try, ask and work only for so long."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import AT, a_session, ask, go_on, planned, stall, start

from toryo.domain.plan import Limits, Terms
from toryo.domain.report import Trouble
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.rules.patience import (
    ENOUGH,
    has_come_through,
    limits_of,
    longest_wait,
    wait_after,
    wait_before_retry,
)


@pytest.mark.covers("P52")
def test_doubles_from_half_a_second() -> None:
    assert [wait_before_retry(failures) for failures in range(1, 5)] == [0.5, 1.0, 2.0, 4.0]


def test_before_any_failure_it_is_as_after_the_first() -> None:
    assert wait_before_retry(0) == wait_before_retry(1)


@given(st.integers(0, 1000), st.floats(0, 1))
def test_is_never_nothing_and_never_long(failures: int, spread: float) -> None:
    assert 0.5 <= wait_before_retry(failures, spread) <= 37.5


@pytest.mark.covers("P52")
def test_never_gets_shorter() -> None:
    waits = [wait_before_retry(failures) for failures in range(1, 30)]
    assert all(earlier <= later for earlier, later in pairwise(waits))
    assert waits[-1] == 30.0


@pytest.mark.covers("P52")
@given(st.integers(1, 20), st.floats(0, 1), st.floats(0, 1))
def test_spread_only_ever_adds(failures: int, one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert wait_before_retry(failures) <= wait_before_retry(failures, less) <= wait_before_retry(failures, more)


def test_enough_is_enough_within_a_minute() -> None:
    assert ENOUGH >= 2
    assert sum(wait_before_retry(failures, 1.0) for failures in range(1, ENOUGH + 1)) < 60


def test_any_number_of_failures() -> None:
    assert wait_before_retry(5000) == 30.0


# ── what is not ours ─────────────────────────────────────────────────────────


def test_a_usage_limit_is_given_minutes_and_a_model_that_does_not_answer_seconds() -> None:
    assert [wait_after(Trouble.QUOTA, times) for times in (0, 1, 2)] == [60.0, 120.0, 240.0]
    assert [wait_after(Trouble.API, times) for times in (0, 1, 2)] == [5.0, 10.0, 20.0]


@pytest.mark.covers("P52")
@pytest.mark.parametrize("trouble", [Trouble.QUOTA, Trouble.API])
@given(times=st.integers(0, 10_000))
def test_the_wait_grows_but_not_for_ever(trouble: Trouble, times: int) -> None:
    assert 0 < wait_after(trouble, times) <= wait_after(trouble, times + 1) <= 3600


def test_the_longest_wait_is_up_to_the_terms() -> None:
    terms = Terms(quota_wait=7.0, api_wait=3.0)
    assert longest_wait(Trouble.QUOTA, terms) == 7.0
    assert longest_wait(Trouble.API, terms) == 3.0


# ── when a run is ended ──────────────────────────────────────────────────────


def working(**more: object) -> Session:
    return start(a_session(planned("A", **more), time_limit=1000.0, answer_time=100.0), "A")


def deadline(session: Session) -> tuple[float, EndedBy]:
    moment, ended_by = limits_of(session.task("A"), session.terms)[0]
    return moment - AT, ended_by


@pytest.mark.covers("P17")
def test_a_run_has_its_time() -> None:
    assert deadline(working()) == (1000.0, EndedBy.TIME_LIMIT)
    assert deadline(working(limits=Limits(seconds=20.0))) == (20.0, EndedBy.TIME_LIMIT)


def test_a_question_has_its_time_from_when_it_was_asked() -> None:
    session = ask(working(), "A", at=AT + 50)
    assert deadline(session) == (150.0, EndedBy.QUESTION)
    assert deadline(ask(session, "A", "and now?", at=AT + 80)) == (180.0, EndedBy.QUESTION)
    assert deadline(go_on(session, "A")) == (1000.0, EndedBy.TIME_LIMIT)


def test_an_unanswered_question_does_not_outlast_the_run() -> None:
    assert deadline(ask(working(), "A", at=AT + 950)) == (1000.0, EndedBy.TIME_LIMIT)


@pytest.mark.parametrize(("trouble", "allowed"), [(Trouble.QUOTA, 60.0), (Trouble.API, 300.0), (Trouble.LOGIN, 20.0)])
def test_an_agent_may_try_by_itself_only_for_so_long(trouble: Trouble, allowed: float) -> None:
    session = stall(working(), "A", trouble, at=AT + 50)
    assert deadline(session) == (50.0 + allowed, EndedBy.STALL)
    again = stall(session, "A", trouble, until=AT + 60, at=AT + 55)
    assert deadline(again) == (50.0 + allowed, EndedBy.STALL), "from the first time on"
    assert deadline(go_on(session, "A")) == (1000.0, EndedBy.TIME_LIMIT)


def test_an_agent_that_knows_it_has_to_wait_for_hours_is_ended_at_once() -> None:
    assert deadline(stall(working(), "A", until=AT + 9000, at=AT + 50)) == (50.0, EndedBy.STALL)


def test_no_longer_than_the_terms_let_anybody_wait() -> None:
    session = start(a_session("A", quota_wait=10.0), "A")
    assert deadline(stall(session, "A")) == (10.0, EndedBy.STALL)


def test_other_trouble_is_left_to_the_agent() -> None:
    assert deadline(stall(working(), "A", Trouble.OTHER)) == (1000.0, EndedBy.TIME_LIMIT)


def test_an_agent_that_tells_of_no_more_retries_was_heard_at_last() -> None:
    run = stall(working(), "A", at=AT).task("A").runs[-1]
    assert not has_come_through(run, AT + 70, quiet=10.0), "it still tries"
    assert has_come_through(run, AT + 70, quiet=60.0)
    assert not has_come_through(working().task("A").runs[-1], AT + 70, quiet=60.0), "nothing stood in its way"


def test_an_agent_that_waits_for_a_known_time_is_silent_and_still_stalled() -> None:
    run = stall(working(), "A", until=AT + 500, at=AT).task("A").runs[-1]
    assert not has_come_through(run, AT + 100, quiet=90.0)


def test_the_other_limits_hold_while_it_is_stalled() -> None:
    session = stall(working(limits=Limits(seconds=70.0)), "A", at=AT)
    limits = limits_of(session.task("A"), session.terms)
    assert [ended_by for _, ended_by in limits] == [EndedBy.STALL, EndedBy.TIME_LIMIT]
