"""Limits: what is recorded when one is gone beyond, and how far a person's word reaches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import (
    AT,
    a_session,
    after,
    check,
    claim,
    finish,
    judge,
    planned,
    prepare,
    result,
    seen,
    start,
)

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.limits import LimitType, LimitViolation
from toryo.domain.plan import Check, Limits
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.rules.limits import say_violation, violations_of
from toryo.rules.playbook import next_effects

TESTS = Check("tests", "make test")
YES = e.TaskApproved(AT, 1, "a person", "this once")


def many(files: int, limit: int) -> Session:
    task = planned("A", limits=Limits(files=limit))
    return judge(finish(start(a_session(task), "A"), "A", seen(*(f"f{n}" for n in range(files)))), "A")


@pytest.mark.covers("P13", "P16")
@given(st.integers(1, 30), st.integers(1, 30))
def test_files(files: int, limit: int) -> None:
    session = many(files, limit)
    task = session.task("A")
    if files <= limit:
        assert (task.outcome, task.violations) == (Outcome.COMPLETE, ())
        return
    assert (task.state, task.block_reason) == (TaskState.BLOCKED, BlockReason.LIMIT)
    assert violations_of(session) == [(task, LimitViolation(LimitType.FILES, limit, files, AT))]
    approved = judge(after(session, YES), "A").task("A")
    assert (approved.state, approved.plan.limits.files) == (TaskState.ACCEPTED, files), "so much, and no more"
    assert [one.needs_resolution for one in approved.violations] == [False]


def test_the_words() -> None:
    words = [
        (LimitViolation(LimitType.FILES, 5, 8, AT), "8 files changed, 3 over the limit of 5"),
        (LimitViolation(LimitType.TESTS, 2, 3, AT), "3 check runs needed, the limit of 2 is used up"),
        (LimitViolation(LimitType.SECONDS, 300.0, 301.2, AT), "the run was ended at its time limit of 5m 00s"),
    ]
    for violation, said in words:
        assert say_violation(violation) == said


@pytest.mark.covers("P14", "P16")
def test_check_runs() -> None:
    task = planned("A", checks=(TESTS,), limits=Limits(tests=1))
    failed = result("tests", CheckStatus.FAILED)
    session = judge(check(finish(start(a_session(task), "A"), "A"), "A", failed), "A")
    session = judge(finish(start(session, "A"), "A"), "A")
    assert session.task("A").block_reason is BlockReason.LIMIT
    assert [(one.allowed, one.actual) for one in session.task("A").violations] == [(1, 2)]
    session = after(session, YES)
    assert session.task("A").plan.limits.tests == 2
    assert [type(effect) for effect in next_effects(session)] == [fx.RunCheck]


@pytest.mark.covers("P16", "P17", "P20")
def test_seconds() -> None:
    session = start(a_session(planned("A", limits=Limits(seconds=30.0))), "A")
    session = judge(finish(session, "A", code=143, ended_by=EndedBy.TIME_LIMIT, at=AT + 31), "A")
    task = session.task("A")
    assert (task.block_reason, task.attempts) == (BlockReason.TIMEOUT, 1)
    assert task.violations == (LimitViolation(LimitType.SECONDS, 30.0, 31.0, AT + 31),)
    task = after(session, YES).task("A")
    assert (task.state, task.attempts, task.plan.limits.seconds) == (TaskState.PLANNED, 0, 30.0)
    assert task.approvals == ("timeout: the run was ended at its time limit — let through by a person (this once)",)


def test_one_limit_being_let_go_leaves_the_others() -> None:
    task = planned("A", limits=Limits(files=1, tests=7, seconds=9.0))
    session = judge(finish(start(a_session(task), "A"), "A", seen("a", "b")), "A")
    assert after(session, YES).task("A").plan.limits == Limits(2, 7, 9.0)


def test_a_retry_settles_it_too() -> None:
    session = after(many(3, 1), e.TaskRetried(AT, 1))
    assert [one.needs_resolution for one in session.task("A").violations] == [False]


# ── tests first ──────────────────────────────────────────────────────────────


def first(*codes: int | None, command: str = "make test") -> Session:
    """Ready to start, its checks seen on the base with these exit codes."""
    checks = tuple(Check(f"c{n}", command) for n in range(2))
    session = prepare(claim(a_session(planned("A", checks=checks, tests_first=True)), "A"), "A")
    for n, code in enumerate(codes):
        status = CheckStatus.PASSED if code == 0 else CheckStatus.FAILED
        seen_before = e.CheckResult(f"c{n}", status, code, 0.1)
        session = after(session, e.BaseChecked(AT, 1, "run-1-1", seen_before))
    return session


def step(session: Session) -> str:
    (effect,) = next_effects(session)
    return f"{type(effect).__name__} {getattr(effect, 'check', '')}".strip()


@pytest.mark.covers("P11")
@pytest.mark.parametrize(
    ("codes", "wanted"),
    [
        ((), "CheckBase c0"),
        ((0,), "CheckBase c1"),
        ((1,), "StartRun"),
        ((0, 2), "StartRun"),
        ((0, 0), "BlockTask"),
        ((127, 126), "BlockTask"),
        ((None, 0), "BlockTask"),
    ],
)
def test_the_agent_starts_once_a_test_has_failed(codes: tuple[int | None, ...], wanted: str) -> None:
    assert step(first(*codes)) == wanted


def test_finding_no_tests_is_no_failing_test() -> None:
    assert step(first(5, 4, command="python -m pytest -q")) == "BlockTask"
    assert step(first(5, command="make test")) == "StartRun"


def test_the_next_run_need_not_see_them_fail_again() -> None:
    session = after(first(1), e.RunStarted(AT, 1, "run-1-1", 4242))
    session = judge(finish(session, "A", code=1), "A")
    assert step(prepare(claim(session, "A"), "A")) == "StartRun"


@pytest.mark.covers("P11", "P16")
def test_a_person_may_go_on_without_them() -> None:
    session = after(first(0, 0), e.TaskBlocked(AT, 1, BlockReason.TESTS_FIRST, "they pass"))
    session = after(session, YES)
    assert (session.task("A").state, session.task("A").plan.tests_first) == (TaskState.PLANNED, False)
    assert step(prepare(claim(session, "A"), "A")) == "StartRun"
