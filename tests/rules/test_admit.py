"""What came too late or was superseded is left out."""

import pytest
from tests.support.sessions import (
    AT,
    a_session,
    accept,
    after,
    ask,
    block,
    claim,
    finish,
    go_on,
    integrate,
    integrated,
    judge,
    leave,
    limit,
    opening,
    planned,
    refusal,
    refuse,
    result,
    seen,
    stall,
    start,
    stop,
)

from toryo.domain import events as e
from toryo.domain.plan import Check, WorktreeChoice
from toryo.domain.report import Trouble
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.admit import admit, may_start
from toryo.rules.evolve import fold

TESTS = Check("tests", "make test")


def claimed(number: int, at: float = AT) -> e.RunPlanned:
    return e.RunPlanned(at, number, "run-new", "crew", "talk")


# ── claiming ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("A6")
def test_a_claim_needs_a_planned_task() -> None:
    session = a_session("A")
    assert admit(session, claimed(1))
    for later in (claim(session, "A"), accept(session, "A"), integrate(session, "A"), block(session, "A")):
        assert not admit(later, claimed(1))


@pytest.mark.covers("G20")
def test_a_claim_needs_a_free_slot() -> None:
    session = claim(a_session("A", "B", "C", parallel=2), "A")
    assert admit(session, claimed(3))
    session = claim(session, "B")
    assert not admit(session, claimed(3))
    assert admit(leave(session, "A"), claimed(3)), "a task that is being checked takes no agent's slot"
    assert admit(stop(session, "A"), claimed(3))
    assert admit(after(session, e.ParallelChanged(AT, 3)), claimed(3))


@pytest.mark.covers("A9")
def test_a_claim_needs_every_dependency() -> None:
    session = a_session("A", "B", planned("C", "A", "B"))
    assert not admit(session, claimed(3))
    session = accept(session, "A")
    assert not admit(session, claimed(3))
    assert admit(accept(session, "B"), claimed(3))


def test_after_its_bases_conflicted_accepted_is_not_enough() -> None:
    session = accept(accept(a_session("A", "B", planned("C", "A", "B")), "A"), "B")
    session = after(claim(session, "C"), e.BasesConflicted(AT, 3, "run-3-1", ("made.txt",)))
    assert not admit(session, claimed(3))
    session = after(session, integrated(session.task("A")))
    assert not admit(session, claimed(3))
    assert may_start(after(session, integrated(session.task("B"))), session.task("C"))


@pytest.mark.covers("G11")
@pytest.mark.parametrize("cut", [1, 2])
def test_no_claim_before_approval(cut: int) -> None:
    session = fold(opening("A")[:cut])
    assert session is not None
    if cut == 2:
        assert not admit(session, claimed(1))
    assert not admit(after(session, e.SessionPaused(AT, "x")), e.SessionPaused(AT, "again"))


def test_no_claim_while_paused() -> None:
    assert not admit(after(a_session("A"), e.SessionPaused(AT, "x")), claimed(1))


@pytest.mark.covers("G40")
def test_a_run_that_waits_for_a_person_holds_no_slot() -> None:
    session = start(a_session("A", "B", parallel=1), "A")
    assert not admit(session, claimed(2))
    assert admit(ask(session, "A"), claimed(2))
    assert not admit(go_on(ask(session, "A"), "A"), claimed(2))
    assert not admit(stall(ask(session, "A"), "A"), claimed(2)), "it tries by itself, and waits for nobody"


def test_no_claim_where_only_a_person_can_end_the_pause() -> None:
    session = a_session("A", "B", planned("C", agent="other"))
    barred = limit(session, "A", Trouble.LOGIN)
    assert not admit(barred, claimed(2))
    assert admit(barred, claimed(3))
    assert admit(after(barred, e.PauseLifted(AT, "crew")), claimed(2))
    paused = limit(session, "A", until=AT + 60)
    assert not admit(paused, claimed(2)), "it was under way when the limit was reached"
    assert admit(paused, claimed(2, AT + 60)), "that is how a pause ends"


def test_one_claim_at_a_time_on_the_shared_worktree() -> None:
    """Two may come at the same moment: one whose pause is over, and one of another credential."""
    shared = {"worktree": WorktreeChoice.SHARED}
    session = a_session(planned("A", **shared), planned("B", agent="other", **shared), "C")
    assert admit(session, claimed(2))
    session = claim(session, "A")
    assert not admit(session, claimed(2))
    assert admit(session, claimed(3))
    assert not admit(leave(session, "A"), claimed(2)), "its files are being looked at"
    assert admit(stop(session, "A"), claimed(2))


# ── a run's own news ─────────────────────────────────────────────────────────


def running() -> Session:
    return start(a_session(planned("A", checks=(TESTS,))), "A")


def test_news_of_a_running_run() -> None:
    session = running()
    exited = e.RunExited(AT, 1, "run-1-1", 0, EndedBy.ITSELF)
    for event in (exited, e.RunStopped(AT, 1, "run-1-1"), e.RunLost(AT, 1, "run-1-1", "vanished")):
        assert admit(session, event)
        assert not admit(after(session, event), event), "once is enough"
    assert not admit(after(session, e.RunStopped(AT, 1, "run-1-1")), exited), "too late"


@pytest.mark.covers("A6")
def test_news_of_another_run_is_none() -> None:
    session = claim(stop(running(), "A"), "A")
    assert session.task("A").runs[-1].id == "run-1-2"
    assert not admit(session, e.RunStopped(AT, 1, "run-1-1"))
    assert not admit(a_session("A"), e.RunStopped(AT, 1, "run-1-1"))


def test_an_observation_counts_once_and_only_after_the_run() -> None:
    observed = e.WorkObserved(AT, 1, "run-1-1", seen())
    assert not admit(running(), observed)
    session = leave(running(), "A")
    assert admit(session, observed)
    assert not admit(after(session, observed), observed)


def test_a_check_counts_once() -> None:
    finished = e.CheckFinished(AT, 1, "run-1-1", result("tests"))
    assert not admit(running(), finished)
    session = finish(running(), "A")
    assert admit(session, finished)
    session = after(session, finished)
    assert not admit(session, finished)
    assert admit(session, e.CheckFinished(AT, 1, "run-1-1", result("lint")))


def test_a_verdict_counts_once() -> None:
    verdict = e.VerdictReached(AT, 1, "run-1-1", Verdict(Outcome.COMPLETE, Disposition.ACCEPT))
    assert not admit(running(), verdict)
    session = finish(running(), "A")
    assert admit(session, verdict)
    assert not admit(after(session, verdict), verdict)


@pytest.mark.parametrize(
    "told",
    [
        e.ConversationNamed(AT, 1, "run-1-1", "talk"),
        e.RunWaited(AT, 1, "run-1-1", "left or right?"),
        e.RunStalled(AT, 1, "run-1-1", Trouble.API, "no answer"),
        e.RunFellSilent(AT, 1, "run-1-1", AT),
        e.RunWentOn(AT, 1, "run-1-1"),
    ],
)
def test_what_a_run_told_counts_while_it_works(told: e.TaskEvent) -> None:
    assert admit(running(), told)
    for later in (leave(running(), "A"), stop(running(), "A"), start(stop(running(), "A"), "A")):
        assert not admit(later, told)


# ── merging ──────────────────────────────────────────────────────────────────


def test_only_accepted_work_is_merged_or_refused() -> None:
    session = a_session("A")
    checked = finish(start(session, "A"), "A")
    accepted = judge(checked, "A")
    for unfit in (session, checked, integrate(session, "A"), refuse(accepted, "A", Disposition.REDO)):
        task = unfit.task("A")
        assert not admit(unfit, integrated(task))
        assert not admit(unfit, refusal(unfit, task))
    assert admit(accepted, integrated(accepted.task("A")))
    assert admit(accepted, refusal(accepted, accepted.task("A")))


# ── the session ──────────────────────────────────────────────────────────────


def test_pausing_resuming_and_closing() -> None:
    session = a_session("A")
    pause, resume = e.SessionPaused(AT, "x"), e.SessionResumed(AT)
    close = e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True)
    assert [admit(session, event) for event in (pause, resume, close)] == [True, False, True]
    paused = after(session, pause)
    assert [admit(paused, event) for event in (pause, resume, close)] == [False, True, True]
    closed = after(session, close)
    assert [admit(closed, event) for event in (pause, resume, close)] == [False, False, False]


def test_work_is_settled_only_when_nothing_could_go_on() -> None:
    settled = e.WorkSettled(AT)
    session = a_session("A", planned("B", "A"))
    assert not admit(session, settled)
    assert not admit(start(session, "A"), settled)
    assert not admit(leave(start(session, "A"), "A"), settled)
    assert admit(block(session, "A"), settled)
    assert not admit(after(block(session, "A"), settled), settled)


def test_a_blocked_task_may_be_sent_round_again() -> None:
    session = a_session("A")
    assert admit(block(session, "A"), e.TaskRetried(AT, 1))
    assert not admit(integrate(session, "A"), e.TaskRetried(AT, 1))
    assert not admit(session, e.TaskRetried(AT, 1))


@pytest.mark.parametrize("state", ["running", "checking", "accepted"])
def test_only_a_blocked_task_may_be_sent_round_again(state: str) -> None:
    """A person who is second would otherwise put a second agent beside one that is at work."""
    session = {
        "running": lambda: start(a_session("A"), "A"),
        "checking": lambda: leave(start(a_session("A"), "A"), "A"),
        "accepted": lambda: accept(a_session("A"), "A"),
    }[state]()
    assert not admit(session, e.TaskRetried(AT, 1))


def test_a_resolution_given_up_is_not_tried_again() -> None:
    """Its task is redone or came home another way: merging it later could not be recorded."""
    session = block(refuse(accept(a_session("A"), "A"), "A"), "A-merge")
    assert admit(session, e.TaskRetried(AT, 2)), "not yet given up"
    session = refuse(session, "A", Disposition.REDO)
    assert not admit(session, e.TaskRetried(AT, 2))
    assert not admit(integrate(session, "A"), e.TaskRetried(AT, 2))


def test_a_resolution_given_up_is_not_approved_either() -> None:
    session = block(refuse(accept(a_session("A"), "A"), "A"), "A-merge", BlockReason.REVIEW)
    assert admit(session, e.TaskApproved(AT, 2, "a person")), "not yet given up"
    session = refuse(session, "A", Disposition.REDO)
    assert not admit(session, e.TaskApproved(AT, 2, "a person"))


def test_a_resolution_that_a_person_sent_round_again_is_not_given_up() -> None:
    session = block(refuse(accept(a_session("A"), "A"), "A"), "A-merge")
    given_up = refusal(session, session.task("A"), Disposition.REDO)
    assert admit(session, given_up)
    assert not admit(after(session, e.TaskRetried(AT, 2)), given_up)


def test_only_a_task_that_has_not_begun_is_given_to_another_agent() -> None:
    session, given = a_session("A"), e.TaskReassigned(AT, 1, "other")
    assert admit(session, given)
    assert admit(limit(session, "A", until=AT + 60), given)
    for later in (claim(session, "A"), accept(session, "A"), integrate(session, "A"), block(session, "A")):
        assert not admit(later, given)


def test_only_a_pause_that_is_there_is_lifted() -> None:
    session, lifted = a_session("A"), e.PauseLifted(AT, "crew")
    assert not admit(session, lifted)
    paused = limit(session, "A", until=AT + 60)
    assert admit(paused, lifted)
    assert not admit(paused, e.PauseLifted(AT, "other"))
    assert not admit(after(paused, lifted), lifted)


def test_a_task_that_has_not_begun_may_be_blocked() -> None:
    blocked = e.TaskBlocked(AT, 1, BlockReason.LOGIN, "no key")
    assert admit(a_session("A"), blocked)
    assert not admit(integrate(a_session("A"), "A"), blocked)


def test_anything_else_is_admitted() -> None:
    session = a_session("A")
    for event in (e.ParallelChanged(AT, 2), e.EffectFailed(AT, "PlanRun", "no disk", AT, 1)):
        assert admit(session, event)


def test_nothing_goes_round_again_in_a_closed_session() -> None:
    blocked = block(a_session("A", "B"), "A")
    again = [e.TaskRetried(AT, 1), e.TaskReassigned(AT, 2, "crew")]
    assert all(admit(blocked, event) for event in again)
    closed = after(blocked, e.SessionClosed(AT, Outcome.INCOMPLETE))
    assert not any(admit(closed, event) for event in [*again, e.WorkHandedIn(AT, 1, "run-new", "a person", "b", "t")])
