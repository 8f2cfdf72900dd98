"""The current task is one at work, the last one has ended, whatever happens to a session."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.planning import reviewed_session
from tests.support.sessions import AT, a_session, accept, block, finish, integrate, merge, run_of, start, stop
from tests.support.sessions import after as recorded
from tests.support.walks import Walk

from toryo.domain import events as e
from toryo.domain.changing import stamped
from toryo.domain.repl import Provider, ReplState
from toryo.domain.session import Session
from toryo.domain.shelf import Shelf
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.evolve import evolve
from toryo.rules.repl_state import KEEP, Standing, after, remembered, selected, together
from toryo.views.records.enums import TaskLogStatus
from toryo.views.records.statuses import log_status

pytestmark = pytest.mark.covers("P38")
NOW = "2026-01-02T03:04:05.678Z"


def at(session: Session, moment: float) -> Session:
    return stamped(session, updated_at=moment)


def told(*sessions: Session) -> ReplState:
    """What is remembered after a session was seen in these states, a second apart."""
    standing, before, state = Standing(), None, ReplState()
    for number, session in enumerate(sessions):
        now = at(session, float(number))
        standing, before = after(standing, before, now), now
        state = remembered(state, standing, NOW)
    return state


def ids(session: Session, current: str | None, last: str | None) -> tuple[str | None, str | None]:
    return (session.task(current).id if current else None, session.task(last).id if last else None)


def shown(state: ReplState) -> tuple[str | None, str | None]:
    return state.current_task_id, state.last_task_id


def blocked(session: Session, key: str) -> Session:
    """A task at work, whose verdict is that a person has to look."""
    session = finish(session, key)
    verdict = Verdict(Outcome.INCOMPLETE, Disposition.BLOCK, ("no",), "- no", BlockReason.CHECK_FAILED)
    return recorded(session, e.VerdictReached(AT, session.task(key).number, run_of(session, key).id, verdict))


def test_a_task_is_current_from_its_start_to_its_end_and_then_the_last() -> None:
    fresh = a_session("A")
    running = start(fresh, "A")
    checking = finish(running, "A")
    ended = integrate(fresh, "A")
    assert shown(told(fresh)) == (None, None)
    assert told(fresh) == ReplState()
    assert shown(told(fresh, running)) == ids(fresh, "A", None)
    assert shown(told(fresh, running, checking)) == ids(fresh, "A", None)
    assert shown(told(fresh, running, checking, ended)) == ids(fresh, None, "A")
    assert told(fresh, running).updated_at == NOW


def test_when_the_current_one_ends_the_one_that_began_last_of_the_others_is_current() -> None:
    fresh = a_session("A", "B", "C", parallel=3)
    one = start(fresh, "B")
    two = start(one, "A")
    three = start(two, "C")
    assert shown(told(fresh, one, two, three)) == ids(fresh, "C", None)
    c_ended = blocked(three, "C")
    assert shown(told(fresh, one, two, three, c_ended)) == ids(fresh, "A", "C")
    b_ended = blocked(c_ended, "B")
    assert shown(told(fresh, one, two, three, c_ended, b_ended)) == ids(fresh, "A", "B")


def test_one_that_is_stopped_is_neither_and_one_that_is_sent_round_again_is_no_longer_the_last() -> None:
    fresh = a_session("A", "B")
    b_ended = integrate(fresh, "B")
    running = start(b_ended, "A")
    assert shown(told(fresh, b_ended, running, stop(running, "A"))) == ids(fresh, None, "B")
    ended = blocked(running, "A")
    assert shown(told(fresh, b_ended, running, ended)) == ids(fresh, None, "A")
    again = recorded(ended, e.TaskRetried(AT, fresh.task("A").number))
    assert shown(told(fresh, b_ended, running, ended, again)) == ids(fresh, None, "B")
    assert shown(told(fresh, b_ended, running, ended, again, start(again, "A"))) == ids(fresh, "A", "B")


def test_merging_what_was_accepted_does_not_make_it_the_last_again() -> None:
    fresh = a_session("A", "B")
    a_accepted = accept(fresh, "A")
    b_accepted = accept(a_accepted, "B")
    seen = told(fresh, a_accepted, b_accepted, merge(b_accepted, "A"))
    assert shown(seen) == ids(fresh, None, "B")


def test_a_clock_that_goes_backwards_does_not_bring_an_older_task_back() -> None:
    fresh = a_session("A", "B")
    first, second = block(fresh, "A"), block(block(fresh, "A"), "B")
    standing = after(Standing(), None, at(first, 900.0))
    standing = after(standing, at(first, 900.0), at(second, 100.0))
    assert remembered(ReplState(), standing, NOW).last_task_id == fresh.task("B").id


def test_of_several_sessions_the_latest_counts() -> None:
    older, newer = Standing({"o1": 5.0}, {"o2": 7.0}, 7.0), Standing({"n1": 6.0}, {"n2": 6.5}, 6.5)
    assert shown(remembered(ReplState(), together(older, newer), NOW)) == ("n1", "o2")


def test_what_was_remembered_of_a_journal_that_is_gone_is_forgotten_and_nothing_else() -> None:
    state = ReplState(Provider.OPENAI, "m", "2020-01-01T00:00:00Z", "task-1", "task-2")
    assert remembered(state, Standing(), NOW) == ReplState(Provider.OPENAI, "m", NOW)


def test_where_nothing_is_new_it_is_the_very_same() -> None:
    state = ReplState(updated_at="2020-01-01T00:00:00Z", current_task_id="a")
    assert remembered(state, Standing({"a": 1.0}), NOW) is state


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0, 20, 60]), st.booleans())
def test_at_every_step_of_any_session_current_runs_and_last_has_ended(
    seed: int, trouble: int, is_reviewed: bool
) -> None:
    begun = reviewed_session("A", "B", "C") if is_reviewed else a_session("A", "B", "C", parallel=2)
    walk = Walk(begun, seed, trouble)
    walk.go(120)
    session, state = begun, ReplState()
    standing = after(Standing(), None, session)
    order: list[str] = []
    for event in walk.events:
        before, session = session, evolve(session, event)
        standing = after(standing, before, session)
        state = remembered(state, standing, NOW)
        status = {task.id: log_status(task) for task in session.tasks.values()}
        order = [each for each in order if each in status and status[each].is_terminal]
        order += [each for each in status if status[each].is_terminal and each not in order]
        assert state.current_task_id is None or status[state.current_task_id] is TaskLogStatus.RUNNING
        assert (state.current_task_id is None) == (TaskLogStatus.RUNNING not in status.values())
        assert state.last_task_id is None or status[state.last_task_id].is_terminal
        assert (state.last_task_id is None) == (not order)
        assert set(standing.ended) == set(order)


@given(
    st.dictionaries(st.integers(0, 300), st.integers()), st.dictionaries(st.integers(0, 300), st.integers(), max_size=5)
)
def test_what_differs_between_two_shelves_is_found(items: dict[int, int], more: dict[int, int]) -> None:
    first = Shelf(items.items())
    second = first
    for number, thing in more.items():
        second = second.drop(number) if number in second else second.put(number, thing)
    assert list(first.differing(first)) == []
    assert sorted(second.differing(first)) == sorted(first.differing(second)) == sorted(more)


# ── the model ────────────────────────────────────────────────────────────────


@pytest.mark.covers("P23")
def test_another_provider_drops_the_model_that_was_selected_with_the_old_one() -> None:
    state = selected(ReplState(current_task_id="a"), Provider.OPENAI, "gpt-5", NOW)
    assert state == ReplState(Provider.OPENAI, "gpt-5", NOW, "a")
    assert selected(state, KEEP, "o9", NOW) == ReplState(Provider.OPENAI, "o9", NOW, "a")
    assert selected(state, Provider.OPENAI, KEEP, NOW) == state
    assert selected(state, Provider.ANTHROPIC, KEEP, NOW) == ReplState(Provider.ANTHROPIC, None, NOW, "a")
    assert selected(state, Provider.ANTHROPIC, "claude", NOW) == ReplState(Provider.ANTHROPIC, "claude", NOW, "a")
    assert selected(state, KEEP, None, NOW) == ReplState(Provider.OPENAI, None, NOW, "a")
    assert selected(state, None, KEEP, NOW) == ReplState(None, None, NOW, "a")
