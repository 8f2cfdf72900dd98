"""What can happen to a session in any order: states are left as the tables say, slots are kept, nothing is doubled."""

import dataclasses
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.lives import LIVES, Life
from tests.support.sessions import a_session, anything, ask, go_on, limit, planned, retry, run_of, stall, start, stop

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.errors import Exit
from toryo.domain.plan import Limits
from toryo.domain.report import Trouble
from toryo.domain.run import RUN_MOVES, EndedBy
from toryo.domain.session import SESSION_MOVES, Session, SessionState
from toryo.domain.task import LIVE, SETTLED, TASK_MOVES, TaskState
from toryo.domain.verdict import Disposition, Outcome
from toryo.rules.evolve import fold
from toryo.rules.patience import limits_of
from toryo.rules.playbook import next_effects
from toryo.views.inbox import inbox
from toryo.views.outcome import exit_code
from toryo.views.report import report
from toryo.views.rows import progress_of, session_row, task_details
from toryo.views.summary import summary

MANY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Anything at all takes its time on a busy machine."""


@pytest.mark.covers("A3", "G36")
@MANY
@given(LIVES)
def test_a03_every_move_is_in_its_table_and_what_is_settled_stays_so(lived: Life) -> None:
    for before, event, after in lived.steps():
        if before.state is not after.state:
            assert after.state in SESSION_MOVES[before.state]
        for number, task in after.tasks.items():
            old = before.tasks.get(number)
            if old is None or old.plan.branch != task.plan.branch or isinstance(event, e.PlanProposed):
                continue
            if old.state is not task.state and number in before.tasks:
                assert task.state in TASK_MOVES[old.state], event
            if old.state in SETTLED:
                assert task.state is old.state
            for was, now in zip(old.runs, task.runs, strict=False):
                assert was.state is now.state or now.state in RUN_MOVES[was.state]


@pytest.mark.covers("A6")
@MANY
@given(LIVES)
def test_a06_no_task_has_two_runs_at_once_and_no_run_two_ends(lived: Life) -> None:
    ended: set[str] = set()
    for event in lived.events:
        if isinstance(event, e.RunExited | e.RunStopped | e.RunLost):
            assert event.run not in ended
            ended.add(event.run)
    for _, session in lived.moments:
        for task in session.tasks.values():
            assert sum(not RUN_MOVES[run.state] for run in task.runs) >= len(task.runs) - 1
            assert len({run.id for run in task.runs}) == len(task.runs)


@pytest.mark.covers("G20", "P12")
@MANY
@given(LIVES)
def test_g20_and_p12_no_more_start_than_there_are_slots_and_every_slot_is_free_in_the_end(lived: Life) -> None:
    for before, event, after in lived.steps():
        if isinstance(event, e.RunPlanned):
            assert before.busy < before.parallel
            assert after.busy <= after.parallel
        assert {t.number for t in after.tasks.values() if t.state in LIVE} == set(after.live)
    if lived.last.state is SessionState.CLOSED:
        assert not lived.last.live


@pytest.mark.covers("A9", "A14")
@MANY
@given(LIVES)
def test_a09_nothing_starts_before_what_it_depends_on(lived: Life) -> None:
    done = {TaskState.ACCEPTED, TaskState.INTEGRATED, TaskState.SKIPPED}
    for before, event, _ in lived.steps():
        if isinstance(event, e.RunPlanned):
            needs = before.tasks[event.task].depends_on
            assert all(before.tasks[need].state in done for need in needs)


@pytest.mark.covers("A15")
@MANY
@given(LIVES)
def test_a15_each_task_is_merged_once_and_after_its_dependencies(lived: Life) -> None:
    merged: list[int] = []
    for before, event, _ in lived.steps():
        if isinstance(event, e.PlanProposed | e.PlanRejected):
            merged = [number for number in merged if number in before.tasks]
        if isinstance(event, e.TaskIntegrated):
            assert event.task not in merged
            merged.append(event.task)
            settled = {TaskState.INTEGRATED, TaskState.SKIPPED}
            assert all(before.tasks[need].state in settled for need in before.tasks[event.task].depends_on)


@pytest.mark.covers("G25")
@MANY
@given(LIVES)
def test_g25_only_a_verdict_costs_an_attempt(lived: Life) -> None:
    """Or a remedy, after which just one is left."""
    for before, event, after in lived.steps():
        for number, task in after.tasks.items():
            old = before.tasks.get(number)
            if old is not None and task.attempts > old.attempts:
                assert isinstance(event, e.VerdictReached | e.TaskReconsidered)
                if isinstance(event, e.VerdictReached):
                    assert event.verdict.disposition is not Disposition.POSTPONE
                    assert task.attempts == old.attempts + 1


@pytest.mark.covers("G25", "A24")
@given(st.lists(st.sampled_from(["stopped", "limited", "failed"]), max_size=6))
def test_g25_and_a24_neither_a_stop_nor_a_limit_costs_an_attempt(ends: list[str]) -> None:
    session = a_session("A", attempts=99)
    for end in ends:
        match end:
            case "stopped":
                session = stop(start(session, "A"), "A")
            case "limited":
                session = limit(session, "A")
            case _:
                session = retry(session, "A")
    assert session.task("A").attempts == ends.count("failed")
    assert len(session.task("A").runs) == len(ends)


@pytest.mark.covers("G26", "B7")
@MANY
@given(LIVES)
def test_g26_every_event_moves_the_session_on_by_one_and_any_beginning_folds_to_the_same(lived: Life) -> None:
    for before, event, after in lived.steps():
        assert after.seq == before.seq + 1
        assert after.updated_at == event.at
    half = lived.moments[: len(lived.moments) // 2]
    assert fold([event for event, _ in half], lived.first) == (half[-1][1] if half else lived.first)


@pytest.mark.covers("G26")
@MANY
@given(LIVES)
def test_g26_what_is_wanted_follows_from_the_state_alone(lived: Life) -> None:
    """So a new conductor wants what the one before it wanted: nothing has to be remembered."""
    for _, session in lived.moments[:: max(1, len(lived.moments) // 10)]:
        copy = dataclasses.replace(session)
        assert next_effects(copy) == next_effects(session)


@pytest.mark.covers("F9")
@MANY
@given(LIVES)
def test_f09_a_workspace_is_wanted_only_for_tasks_that_are_in_the_journal(lived: Life) -> None:
    known: set[int] = set()
    for before, event, after in lived.steps():
        if isinstance(event, e.RunPlanned):
            assert event.task in before.tasks
            known.add(event.task)
        asked = {effect.task for effect in next_effects(after) if isinstance(effect, fx.PrepareWorkspace)}
        assert asked <= known | set(lived.first.tasks)


@pytest.mark.covers("A14", "G38")
@MANY
@given(LIVES)
def test_a14_attempts_and_remedies_are_bounded(lived: Life) -> None:
    for _, session in lived.moments:
        for task in session.tasks.values():
            assert task.replans <= session.terms.replans
            assert task.redos <= 1


@pytest.mark.covers("P39")
@MANY
@given(LIVES)
def test_p39_the_summary_is_right_in_every_state(lived: Life) -> None:
    for _, session in lived.moments[:: max(1, len(lived.moments) // 12)]:
        told = summary(session)
        assert sum(told["tasks"].values()) == len(session.tasks)
        settled, all_ = progress_of(told["tasks"])
        assert (settled, all_) == (sum(t.state in SETTLED for t in session.tasks.values()), len(session.tasks))
        assert told["state"] == session.state
        assert session_row(session)["id"] == session.id
        for task in session.tasks.values():
            assert task_details(session, task)["state"] == task.state


@pytest.mark.covers("A28")
@MANY
@given(LIVES)
def test_a28_there_is_a_report_in_every_state_and_it_names_every_task(lived: Life) -> None:
    for _, session in lived.moments[:: max(1, len(lived.moments) // 6)]:
        text = report(session, session.outcome or Outcome.INCOMPLETE, session.updated_at)
        assert session.title in text
        if session.state not in (SessionState.PLANNING, SessionState.AWAITING_APPROVAL):
            assert all(task.plan.key in text for task in session.tasks.values())


@pytest.mark.covers("F5", "P55")
@MANY
@given(LIVES)
def test_f05_whatever_waits_for_a_person_is_in_the_inbox_and_says_what_to_do(lived: Life) -> None:
    for _, session in lived.moments:
        items = inbox(session)
        assert all(item.what and item.do for item in items)
        blocked = {t.plan.key for t in session.tasks.values() if t.state is TaskState.BLOCKED}
        if session.state is not SessionState.CLOSED:
            assert blocked <= {item.task for item in items}
        if session.waits_for_person and session.state is SessionState.PAUSED:
            assert items


@pytest.mark.covers("P17", "P35")
@given(
    st.lists(st.sampled_from(["ask", "stall", "go on"]), max_size=8),
    st.floats(1, 1e5),
    st.one_of(st.none(), st.floats(1, 1e5)),
)
def test_p17_whatever_a_run_tells_it_has_no_more_time(told: list[str], usual: float, own: float | None) -> None:
    session = start(a_session(planned("A", limits=Limits(seconds=own)), time_limit=usual), "A")
    began = run_of(session, "A").started_at
    assert began is not None
    for what in told:
        match what:
            case "ask":
                session = ask(session, "A")
            case "stall":
                session = stall(session, "A", Trouble.QUOTA)
            case _:
                session = go_on(session, "A")
        moments = limits_of(session.task("A"), session.terms)
        assert moments[0][0] <= began + (own or usual)
        assert (began + (own or usual), EndedBy.TIME_LIMIT) in moments
        assert all(first[0] <= second[0] for first, second in pairwise(moments))


@pytest.mark.covers("P29")
@given(st.sampled_from(Outcome), st.sampled_from(SessionState), st.booleans())
def test_p29_the_exit_code_follows_from_the_outcome(outcome: Outcome, state: SessionState, interrupted: bool) -> None:
    session = dataclasses.replace(a_session("A"), state=state)
    code = exit_code(session, outcome, interrupted=interrupted)
    if interrupted and state is not SessionState.CLOSED:
        assert code == Exit.INTERRUPTED
    elif outcome in (Outcome.ERROR, Outcome.INVALID):
        assert code == Exit.ERROR
    else:
        is_complete = outcome is Outcome.COMPLETE and state is SessionState.CLOSED
        assert code == (Exit.COMPLETE if is_complete else Exit.NOT_COMPLETE)


@pytest.mark.covers("P64")
@MANY
@given(LIVES)
def test_p64_there_is_a_next_action_unless_the_outcome_is_an_error(lived: Life) -> None:
    for _, session in lived.moments[:: max(1, len(lived.moments) // 8)]:
        row = session_row(session)
        worst = {task.outcome for task in session.tasks.values()} & {Outcome.ERROR, Outcome.INVALID}
        assert row["next_action"] or worst


@pytest.mark.covers("B7")
@ANY
@given(anything(e.SessionOpened))
def test_b07_whatever_opens_a_session_it_stands_on_its_base(opened: e.SessionOpened) -> None:
    session = fold([opened])
    assert isinstance(session, Session)
    assert (session.tip, session.base_commit) == (opened.base_commit, opened.base_commit)
