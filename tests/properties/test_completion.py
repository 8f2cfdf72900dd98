"""Nothing is complete because somebody says so: only what was seen counts, and what is missing counts against it."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.support.lives import LIVES, Life
from tests.support.planning import review, reviewed_session
from tests.support.sessions import (
    a_session,
    anything,
    check,
    finish,
    leave,
    planned,
    result,
    seen,
    start,
)

from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckStatus, FileChange
from toryo.domain.plan import Check, Limits, TaskType
from toryo.domain.report import Report
from toryo.domain.review import Opinion
from toryo.domain.run import EndedBy, Run
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import Disposition, Outcome
from toryo.rules.judging import session_outcome, verdict_on

TEST, LINT = Check("test", "make test"), Check("lint", "make lint")
CHECKED = planned("A", checks=(TEST, LINT))
ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Anything at all takes its time on a busy machine."""


def judged(session: Session, **changes: object) -> Outcome:
    """What the rules make of A's run, with these parts of it changed."""
    task = session.task("A")
    return verdict_on(replace(task, runs=(*task.runs[:-1], replace(task.runs[-1], **changes))), session.terms).outcome


@pytest.mark.covers("P1")
@ANY
@given(anything(Report), st.sampled_from(EndedBy), st.integers(0, 255))
def test_p01_no_words_of_an_agent_make_work_complete(report: Report, ended_by: EndedBy, code: int) -> None:
    nothing = seen(changes=(), run_changed=False)
    session = finish(start(a_session(CHECKED), "A"), "A", nothing, code, ended_by, report)
    assert judged(session) is not Outcome.COMPLETE
    assert verdict_on(session.task("A"), session.terms).disposition is not Disposition.ACCEPT


@pytest.mark.covers("P1")
@ANY
@given(anything(Report))
def test_p01_words_can_only_make_a_verdict_worse(report: Report) -> None:
    session = check(finish(start(a_session(CHECKED), "A"), "A"), "A")
    bad = check(finish(start(a_session(CHECKED), "A"), "A"), "A", result("test", CheckStatus.FAILED), result("lint"))
    assert judged(session, report=None) is Outcome.COMPLETE
    assert judged(session, report=report).badness >= Outcome.COMPLETE.badness
    assert judged(bad, report=report) is not Outcome.COMPLETE


@pytest.mark.covers("P1", "P9")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LIVES)
def test_p01_accepted_work_was_seen_checked_and_reviewed(lived: Life) -> None:
    for before, event, after in lived.steps():
        if isinstance(event, e.VerdictReached) and after.tasks[event.task].state is TaskState.ACCEPTED:
            run = before.tasks[event.task].runs[-1]
            assert_seen(before.tasks[event.task], run)
            assert run.review is not None
            assert run.review.opinion is Opinion.APPROVED


def assert_seen(task: Task, run: Run) -> None:
    assert run.code == 0
    assert run.observation is not None
    assert any(change.exists for change in run.observation.changes)
    passed = {one.name for one in run.results if one.status is CheckStatus.PASSED}
    assert passed >= {known.name for known in task.plan.checks}


CHANGES = st.lists(st.builds(FileChange, st.text(min_size=1), st.sampled_from(Change), st.booleans()), max_size=4)


@pytest.mark.covers("P8", "P31")
@given(CHANGES)
def test_p08_and_p31_what_is_not_on_disk_is_no_evidence(changes: list[FileChange]) -> None:
    """A created or changed file has to be there, a deleted one must not be."""
    session = check(finish(start(a_session(CHECKED), "A"), "A", seen(changes=tuple(changes))), "A")
    is_real = any(change.exists != (change.change is Change.DELETED) for change in changes)
    assert judged(session) is (Outcome.COMPLETE if is_real else Outcome.NO_EVIDENCE)


@pytest.mark.covers("P8", "P55")
@given(CHANGES, st.integers(0, 3), st.sampled_from([TaskType.INVESTIGATION, TaskType.REVIEW]))
def test_p08_what_only_reads_completes_on_its_words_and_changes_nothing(
    changes: list[FileChange], printed: int, kind: TaskType
) -> None:
    found = seen(changes=tuple(changes), output_bytes=printed)
    session = finish(start(a_session(planned("A", type=kind)), "A"), "A", found)
    assert (judged(session) is Outcome.COMPLETE) == (not changes and printed > 0)


@pytest.mark.covers("P9", "A13")
@given(st.sets(st.sampled_from(["observation", "test", "lint", "review"]), min_size=1))
def test_p09_whatever_is_not_known_is_not_taken_for_a_success(unknown: set[str]) -> None:
    session = reviewed_session(CHECKED)
    session = review(check(finish(start(session, "A"), "A"), "A"), "A")
    run = session.task("A").runs[-1]
    assert judged(session) is Outcome.COMPLETE
    less: dict[str, object] = {"results": tuple(one for one in run.results if one.name not in unknown)}
    less |= {name: None for name in ("observation", "review") if name in unknown}
    assert judged(session, **less) is not Outcome.COMPLETE


@pytest.mark.covers("P9")
@given(st.sampled_from(EndedBy), st.integers(-255, 255))
def test_p09_a_run_is_good_only_where_it_ended_well(ended_by: EndedBy, code: int) -> None:
    session = check(finish(start(a_session(CHECKED), "A"), "A"), "A")
    is_good = ended_by is EndedBy.TURN or (code == 0 and ended_by not in (EndedBy.TIME_LIMIT, EndedBy.QUESTION))
    assert (judged(session, code=code, ended_by=ended_by) is Outcome.COMPLETE) == is_good


@pytest.mark.covers("P13", "P20")
@given(st.integers(0, 8), st.one_of(st.none(), st.integers(1, 8)))
def test_p13_and_p20_a_limit_on_files_is_hard_where_there_is_one(count: int, most: int | None) -> None:
    paths = tuple(FileChange(f"{n}.txt", Change.CREATED, True) for n in range(count + 1))
    session = a_session(planned("A", limits=Limits(files=most)))
    session = finish(start(session, "A"), "A", seen(changes=paths))
    verdict = verdict_on(session.task("A"), session.terms)
    assert (verdict.disposition is Disposition.ACCEPT) == (most is None or count + 1 <= most)


@pytest.mark.covers("P16")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LIVES)
def test_p16_a_person_approves_only_what_waits_for_a_person(lived: Life) -> None:
    for before, event, after in lived.steps():
        if isinstance(event, e.TaskApproved):
            assert before.tasks[event.task].state is TaskState.BLOCKED
            assert after.tasks[event.task].state is not TaskState.ACCEPTED, "the other proofs still have to hold"


@pytest.mark.covers("P39", "P64")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(LIVES)
def test_p39_and_p64_an_outcome_is_never_better_than_the_worst_task(lived: Life) -> None:
    for _, session in lived.moments:
        counted = [t for t in session.tasks.values() if t.state not in (TaskState.REPLACED, TaskState.CANCELLED)]
        assume(counted or not session.tasks)
        if session_outcome(session) is Outcome.COMPLETE:
            assert all(t.state in (TaskState.INTEGRATED, TaskState.SKIPPED) or t.resolves for t in counted)


@pytest.mark.covers("P1")
@ANY
@given(anything(Report))
def test_p01_a_process_that_ended_is_not_judged_before_its_files_were_seen(report: Report) -> None:
    session = leave(start(a_session(CHECKED), "A"), "A", report=report)
    assert judged(session) is not Outcome.COMPLETE
