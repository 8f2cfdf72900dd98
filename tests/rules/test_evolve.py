"""What each event makes of a session."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.support.sessions import (
    AT,
    BASE,
    SESSION,
    TREE,
    a_session,
    accept,
    after,
    ask,
    block,
    check,
    claim,
    evidence,
    finish,
    go_on,
    integrate,
    judge,
    leave,
    limit,
    merge,
    opening,
    planned,
    prepare,
    refuse,
    result,
    retry,
    run_of,
    seen,
    stall,
    start,
    stop,
    trouble,
)

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.moves import IllegalMove
from toryo.domain.plan import Check
from toryo.domain.report import Report, Trouble, Usage
from toryo.domain.run import EndedBy, RunState, Stall
from toryo.domain.session import Pause, Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.evolve import UnknownEvent, evolve, fold

TESTS = Check("tests", "make test")


# ── the session ──────────────────────────────────────────────────────────────


def test_an_opened_session_stands_on_its_base() -> None:
    session = evolve(None, opening("A", parallel=7)[0])
    assert (session.id, session.short, session.seq) == (SESSION, "0123abcd", 1)
    assert session.state is SessionState.PLANNING
    assert (session.tip, session.tip_tree, session.parallel) == (BASE, TREE, 7)


def test_a_plan_becomes_tasks() -> None:
    session = a_session("A", planned("B", "A"), planned("C", "A", "B"), checks=(TESTS,))
    assert [task.id for task in session.tasks.values()] == [f"task-0123abcd-{number}" for number in (1, 2, 3)]
    assert [task.unmet for task in session.tasks.values()] == [0, 1, 2]
    assert session.task("C").depends_on == (1, 2)
    assert session.dependents == {1: (2, 3), 2: (3,)}
    assert list(session.ready) == [1]
    assert session.counts == {TaskState.PLANNED: 3}
    assert session.checks == (TESTS,)
    assert session.state is SessionState.EXECUTING


def test_every_event_counts_and_has_its_time() -> None:
    session = a_session("A")
    later = after(session, e.ParallelChanged(AT + 5, 9))
    assert (later.seq, later.updated_at, later.parallel) == (session.seq + 1, AT + 5, 9)


@pytest.mark.parametrize("event", [e.PlanApproved(AT, "x"), e.RunStarted(AT, 1, "run", 1), e.SessionResumed(AT)])
def test_nothing_but_an_opening_can_come_first(event: e.Event) -> None:
    with pytest.raises(UnknownEvent, match="cannot be the first event"):
        evolve(None, event)


def test_a_kind_without_a_rule_stops_the_fold() -> None:
    with pytest.raises(UnknownEvent, match="no rule folds"):
        evolve(a_session("A"), e.Event(AT))


def test_every_kind_of_event_has_a_rule() -> None:
    """Also the ones added later: each folds, or fails for a reason other than not being known."""
    kinds = (*e.Event.__subclasses__(), *e.TaskEvent.__subclasses__(), *e.ModelEvent.__subclasses__())
    for kind in kinds:
        if kind.__name__ in ("TaskEvent", "ModelEvent", "SessionOpened") or kind is not getattr(e, kind.__name__):
            continue
        nothing = object.__new__(kind)
        try:
            evolve(a_session("A"), nothing)
        except UnknownEvent as error:
            assert "no rule folds" not in str(error)
        except Exception:  # noqa: BLE001 - an event without fields fails somewhere in its rule, as it should
            continue


@pytest.mark.covers("G36")
def test_an_illegal_event_raises_and_changes_nothing() -> None:
    session = start(a_session("A"), "A")
    before = replace(session)
    for event in (e.PlanApproved(AT, "x"), e.SessionResumed(AT), e.TaskIntegrated(AT, 1, "c", "t")):
        with pytest.raises(IllegalMove):
            evolve(session, event)
        assert session == before


def test_an_event_about_another_run_stops_the_fold() -> None:
    session = start(a_session("A"), "A")
    with pytest.raises(UnknownEvent, match="names run-of-long-ago"):
        evolve(session, e.RunExited(AT, 1, "run-of-long-ago", 0, EndedBy.ITSELF))


def test_pause_and_resume() -> None:
    session = start(a_session("A", "B"), "A")
    paused = after(session, e.SessionPaused(AT, "a person", waits_for_person=True))
    assert (paused.state, paused.pause_reason, paused.waits_for_person) == (
        SessionState.PAUSED,
        "a person",
        True,
    )
    resumed = after(stop(paused, "A"), e.SessionResumed(AT))
    assert (resumed.state, resumed.pause_reason, resumed.waits_for_person) == (
        SessionState.EXECUTING,
        "",
        False,
    )
    assert list(resumed.ready) == [1, 2]


def test_a_session_paused_while_it_waits_for_approval_waits_for_it_again() -> None:
    session = fold(opening("A")[:2])
    assert session is not None
    resumed = after(session, e.SessionPaused(AT, "x"), e.SessionResumed(AT))
    assert resumed.state is SessionState.AWAITING_APPROVAL


def test_a_session_paused_at_its_end_looks_again_whether_there_is_work() -> None:
    session = after(block(a_session("A"), "A"), e.WorkSettled(AT), e.SessionPaused(AT, "blocked"))
    assert after(session, e.SessionResumed(AT)).state is SessionState.EXECUTING


def test_discarding_cancels_everything_that_is_not_settled() -> None:
    session = integrate(a_session("A", "B", planned("C", "B"), "D", "E"), "A")
    session = block(start(accept(session, "B"), "D"), "E")
    session = after(session, e.SessionClosed(AT + 9, Outcome.INCOMPLETE, discarded=True))
    assert (session.state, session.outcome, session.closed_at) == (
        SessionState.CLOSED,
        Outcome.INCOMPLETE,
        AT + 9,
    )
    states = {task.plan.key: task.state for task in session.tasks.values()}
    assert states == {"A": TaskState.INTEGRATED, **dict.fromkeys("BCDE", TaskState.CANCELLED)}
    assert not session.ready
    assert not session.live
    assert not session.accepted


def test_a_proof_that_failed_proves_no_tree() -> None:
    session = integrate(a_session("A", checks=(TESTS,)), "A")
    failed = after(session, e.SessionProven(AT, session.tip, "tree", (result("tests", CheckStatus.FAILED),)))
    assert (failed.proof_commit, failed.proven_tree) == (session.tip, session.proven_tree)
    passed = after(session, e.SessionProven(AT, session.tip, "tree", (result("tests"),)))
    assert (passed.proof_commit, passed.proven_tree) == (session.tip, "tree")


# ── a task's run ─────────────────────────────────────────────────────────────


def test_a_run_from_claim_to_verdict() -> None:
    session = claim(a_session(planned("A", checks=(TESTS,))), "A")
    assert session.task("A").state is TaskState.RUNNING
    assert (run_of(session, "A").state, run_of(session, "A").prepared) == (RunState.STARTING, False)
    session = prepare(session, "A")
    assert run_of(session, "A").prepared
    assert (session.task("A").base, session.task("A").worktree) == (BASE, True)
    session = after(session, e.RunStarted(AT + 1, 1, "run-1-1", 77))
    run = run_of(session, "A")
    assert (run.state, run.pid, run.started_at) == (RunState.WORKING, 77, AT + 1)
    session = after(session, e.RunExited(AT + 2, 1, "run-1-1", 0, EndedBy.ITSELF, 3))
    run = run_of(session, "A")
    assert (run.state, run.code, run.ended_at, run.reaped) == (RunState.EXITED, 0, AT + 2, 3)
    assert session.task("A").state is TaskState.CHECKING
    assert list(session.live) == [1]
    session = after(session, e.WorkObserved(AT, 1, "run-1-1", seen("a.py")))
    assert session.task("A").commit == seen().commit
    session = judge(check(session, "A"), "A")
    assert session.task("A").state is TaskState.ACCEPTED
    assert session.task("A").outcome is Outcome.COMPLETE
    assert not session.live


@pytest.mark.covers("A4")
def test_a_retry_keeps_the_feedback_and_counts_attempts() -> None:
    session = retry(a_session("A"), "A")
    task = session.task("A")
    assert (task.attempts, len(task.runs), task.outcome) == (1, 1, Outcome.ERROR)
    assert "code 1" in task.feedback
    session = claim(session, "A")
    assert session.task("A").feedback == task.feedback
    session = judge(finish(after(prepare(session, "A"), e.RunStarted(AT, 1, "run-1-2", 1)), "A"), "A")
    assert (session.task("A").attempts, session.task("A").feedback) == (2, "")


@pytest.mark.covers("G25")
def test_a_stopped_run_is_no_attempt() -> None:
    session = stop(start(retry(a_session("A"), "A"), "A"), "A")
    task = session.task("A")
    assert (task.state, task.attempts, len(task.runs)) == (TaskState.PLANNED, 1, 2)
    assert task.runs[-1].state is RunState.STOPPED
    assert task.feedback
    assert list(session.ready) == [1]
    assert not session.live


def test_a_lost_run_is_checked_like_any_other() -> None:
    session = after(start(a_session("A"), "A"), e.RunLost(AT, 1, "run-1-1", "vanished"))
    assert session.task("A").state is TaskState.CHECKING
    assert (run_of(session, "A").state, run_of(session, "A").trouble) == (RunState.LOST, "vanished")


def test_a_workspace_that_cannot_be_made_blocks_the_task() -> None:
    session = claim(a_session("A", planned("B", "A")), "A")
    refused = e.WorkspaceRefused(AT, 1, "run-1-1", BlockReason.SETUP_FAILED, "npm failed")
    session = after(session, refused)
    task = session.task("A")
    assert (task.state, task.block_reason, task.reason) == (
        TaskState.BLOCKED,
        BlockReason.SETUP_FAILED,
        "npm failed",
    )
    assert (task.outcome, task.attempts) == (Outcome.ERROR, 0)
    assert not session.live


def test_a_task_whose_bases_conflict_waits_until_they_are_merged() -> None:
    session = a_session("A", "B", planned("C", "A", "B"))
    session = claim(accept(accept(session, "A"), "B"), "C")
    session = after(session, e.BasesConflicted(AT, 3, "run-3-1", ("made.txt",)))
    task = session.task("C")
    assert (task.state, task.unmet, task.attempts, task.from_tip) == (TaskState.PLANNED, 2, 0, True)
    session = merge(session, "A")
    assert (session.task("C").unmet, list(session.ready)) == (1, [])
    assert list(merge(session, "B").ready) == [3]


@pytest.mark.covers("P21")
def test_evidence_is_kept_in_order_and_chained() -> None:
    session = integrate(a_session("A"), "A")
    records = session.task("A").evidence
    assert len(records) == 4
    assert [record.previous for record in records] == ["", *(record.sha256 for record in records[:-1])]
    assert session.task("A").chain == records[-1].sha256


@pytest.mark.covers("A3")
def test_a_skipped_task_satisfies_its_dependents() -> None:
    session = finish(start(a_session("A", planned("B", "A")), "A"), "A")
    skipped = Verdict(Outcome.COMPLETE, Disposition.SKIP)
    session = after(session, e.VerdictReached(AT, 1, "run-1-1", skipped))
    assert session.task("A").state is TaskState.SKIPPED
    assert list(session.ready) == [2]


# ── what a run tells while it works ──────────────────────────────────────────


def test_a_conversation_gets_the_name_its_agent_gave_it() -> None:
    session = after(start(a_session("A"), "A"), e.ConversationNamed(AT, 1, "run-1-1", "chosen"))
    run = run_of(session, "A")
    assert (run.conversation, run.remarks, run.state) == ("chosen", 1, RunState.WORKING)


def test_a_run_that_asks_waits_and_frees_its_slot() -> None:
    session = start(a_session("A", "B"), "A")
    assert (session.busy, list(session.waiting)) == (1, [])
    waiting = ask(session, "A", "left or right?", AT + 5)
    run = run_of(waiting, "A")
    assert (run.state, run.question, run.waiting_since) == (RunState.WAITING, "left or right?", AT + 5)
    assert (waiting.busy, list(waiting.waiting), list(waiting.live)) == (0, [1], [1])
    again = ask(waiting, "A", "and now?", AT + 6)
    assert (run_of(again, "A").question, run_of(again, "A").waiting_since) == ("and now?", AT + 6)
    gone_on = go_on(again, "A")
    run = run_of(gone_on, "A")
    assert (run.state, run.question, run.waiting_since, run.remarks) == (RunState.WORKING, "", 0.0, 3)
    assert (gone_on.busy, list(gone_on.waiting)) == (1, [])


@pytest.mark.parametrize("end", [leave, stop])
def test_a_run_that_ends_while_it_waits_waits_no_longer(end: Callable[[Session, str], Session]) -> None:
    session = end(ask(start(a_session("A"), "A"), "A"), "A")
    assert not session.waiting
    assert session.busy == 0


def test_a_stall_lasts_from_its_first_word_on() -> None:
    session = stall(start(a_session("A"), "A"), "A", Trouble.QUOTA, at=AT + 1)
    session = stall(session, "A", Trouble.QUOTA, until=AT + 99, at=AT + 2)
    assert run_of(session, "A").stall == Stall(AT + 1, Trouble.QUOTA, "not now", AT + 99)
    other = stall(session, "A", Trouble.API, at=AT + 3)
    assert run_of(other, "A").stall == Stall(AT + 3, Trouble.API, "not now")
    assert run_of(go_on(other, "A"), "A").stall is None
    assert run_of(ask(other, "A"), "A").stall is None


def test_a_run_that_stalls_waits_for_nobody_and_takes_a_slot() -> None:
    session = stall(ask(start(a_session("A"), "A"), "A"), "A")
    run = run_of(session, "A")
    assert (run.state, run.question, run.waiting_since) == (RunState.WORKING, "", 0.0)
    assert (session.busy, list(session.waiting)) == (1, [])


@pytest.mark.covers("G19")
def test_a_run_that_fell_silent_is_unknown_until_it_is_heard_of() -> None:
    silent = after(start(a_session("A"), "A"), e.RunFellSilent(AT + 400, 1, "run-1-1", AT + 100))
    assert (run_of(silent, "A").state, run_of(silent, "A").silent_since) == (RunState.UNKNOWN, AT + 100)
    assert silent.busy == 1
    for heard in (go_on(silent, "A"), stall(silent, "A")):
        assert (run_of(heard, "A").state, run_of(heard, "A").silent_since) == (RunState.WORKING, 0.0)
    assert run_of(ask(silent, "A"), "A").state is RunState.WAITING
    assert leave(silent, "A").task("A").state is TaskState.CHECKING


@pytest.mark.covers("G35")
def test_what_all_runs_have_spent_adds_up() -> None:
    session = stop(start(a_session("A", "B"), "A"), "A", Report(usage=Usage(1, 2, 3, 0.1)))
    session = leave(start(session, "A"), "A", report=Report(usage=Usage(10, 20, 30, 0.2)))
    session = after(start(session, "B"), e.RunLost(AT, 2, "run-2-1", "x", Report(usage=Usage(100))))
    assert session.usage == Usage(111, 22, 33, 0.3)
    assert run_of(session, "A").report == Report(usage=Usage(10, 20, 30, 0.2))
    assert leave(start(a_session("A"), "A"), "A").usage == Usage()


# ── pauses ───────────────────────────────────────────────────────────────────


@pytest.mark.covers("A24")
@pytest.mark.parametrize(
    ("kind", "reason"), [(Trouble.QUOTA, BlockReason.QUOTA), (Trouble.API, BlockReason.TRANSIENT_ERROR)]
)
def test_a_postponed_task_pauses_its_credential(kind: Trouble, reason: BlockReason) -> None:
    session = limit(a_session("A", credentials=(("crew", "account"),)), "A", kind, AT + 60)
    assert session.pauses == {"account": Pause(AT + 60, reason, f"{kind}: not now")}
    task = session.task("A")
    assert (task.state, task.attempts, task.postponements, task.postponed_since) == (TaskState.PLANNED, 0, 1, AT)
    assert list(session.ready) == [1]


def test_without_a_login_the_pause_has_no_end() -> None:
    session = limit(a_session("A"), "A", Trouble.LOGIN)
    assert session.pauses["crew"].needs_person
    assert session.task("A").state is TaskState.BLOCKED


@pytest.mark.parametrize("kind", [Trouble.CONVERSATION, Trouble.PROGRAM, Trouble.OTHER])
def test_other_trouble_is_nobody_elses(kind: Trouble) -> None:
    assert not limit(a_session("A"), "A", kind).pauses


def test_a_pause_that_is_over_when_the_verdict_comes_is_none() -> None:
    session = finish(start(a_session("A"), "A"), "A", code=1, report=trouble(Trouble.QUOTA, AT + 60))
    assert not judge(session, "A", AT + 61).pauses


def test_a_run_ends_the_pause_of_its_credential_only() -> None:
    session = a_session("A", planned("B", agent="other"))
    session = limit(limit(session, "A", until=AT + 60), "B", until=AT + 90)
    assert set(session.pauses) == {"crew", "other"}
    assert set(claim(session, "A").pauses) == {"other"}
    assert set(after(session, e.PauseLifted(AT, "other")).pauses) == {"crew"}


def test_resuming_ends_pauses_that_a_person_had_to_end_and_no_others() -> None:
    session = a_session("A", planned("B", agent="other"))
    session = limit(limit(session, "A", until=AT + 60), "B", Trouble.LOGIN)
    assert set(session.pauses) == {"crew", "other"}
    assert set(after(session, e.SessionPaused(AT, "x"), e.SessionResumed(AT)).pauses) == {"crew"}


def test_postponements_are_counted_until_a_run_gets_through() -> None:
    session = limit(a_session("A"), "A", at=AT)
    session = limit(session, "A", at=AT + 60)
    task = session.task("A")
    assert (task.postponements, task.postponed_since) == (2, AT)
    for later in (retry(session, "A"), after(session, e.TaskReassigned(AT, 1, "other"))):
        assert (later.task("A").postponements, later.task("A").postponed_since) == (0, 0.0)
    blocked = after(block(session, "A"), e.TaskRetried(AT, 1))
    assert (blocked.task("A").postponements, blocked.task("A").postponed_since) == (0, 0.0)


def test_what_was_wrong_with_the_work_is_remembered_over_a_pause() -> None:
    session = retry(a_session("A"), "A")
    assert limit(session, "A").task("A").feedback == session.task("A").feedback != ""


def test_a_task_given_to_another_agent() -> None:
    session = after(a_session("A", "B"), e.TaskReassigned(AT, 1, "other"))
    assert session.task("A").plan.agent == "other"
    assert session.credential_of(session.task("A")) == "other"
    assert session.task("B").plan.agent == "crew"
    assert list(session.ready) == [1, 2]


# ── who may start ────────────────────────────────────────────────────────────


def test_a_dependent_is_ready_when_all_its_dependencies_are_accepted() -> None:
    session = a_session("A", "B", planned("C", "A", "B"))
    session = accept(session, "A")
    assert (session.task("C").unmet, list(session.ready)) == (1, [2])
    assert list(accept(session, "B").ready) == [3]


def test_integration_does_not_count_a_dependency_twice() -> None:
    session = integrate(a_session("A", "B", planned("C", "A", "B")), "A")
    assert session.task("C").unmet == 1


def test_a_dependency_that_is_redone_takes_its_dependent_back() -> None:
    session = accept(a_session("A", planned("B", "A"), resolver="shell"), "A")
    assert list(session.ready) == [2]
    session = refuse(session, "A")
    assert (list(session.ready), session.task("B").unmet) == ([1], 1)
    assert list(accept(session, "A").ready) == [2]


def test_a_blocked_task_leaves_its_dependents_where_they_are() -> None:
    session = block(a_session("A", planned("B", "A")), "A")
    assert not session.ready
    assert session.task("B").state is TaskState.PLANNED


# ── integration ──────────────────────────────────────────────────────────────


def test_a_merge_moves_the_tip() -> None:
    session = integrate(a_session("A"), "A")
    task = session.task("A")
    assert (task.state, task.merge_commit) == (TaskState.INTEGRATED, session.tip)
    assert session.tip != BASE
    assert list(session.removable) == [1]
    assert not session.accepted
    assert not after(session, e.WorkspaceRemoved(AT, 1)).removable


def test_checks_that_passed_on_the_merge_are_the_sessions_proof() -> None:
    session = accept(a_session("A", checks=(TESTS,)), "A")
    proven = merge(session, "A", result("tests"))
    assert (proven.proof_commit, proven.proven_tree) == (proven.tip, proven.tip_tree)
    for results in [(), (result("lint"),), (result("tests", CheckStatus.FAILED),)]:
        assert merge(session, "A", *results).proof_commit != proven.tip


def test_a_worktree_that_was_kept_is_remembered() -> None:
    session = after(integrate(a_session("A"), "A"), e.WorkspaceKept(AT, 1, "it is not clean"))
    assert session.kept_worktrees == (("agent/task-a", "it is not clean"),)
    assert not session.removable


def test_a_conflict_makes_a_resolution_task() -> None:
    session = refuse(accept(a_session("A", "B"), "A"), "A")
    task, resolution = session.task("A"), session.task("A-merge")
    assert (resolution.number, resolution.resolves, resolution.from_tip) == (3, 1, True)
    assert resolution.id == "task-0123abcd-3"
    assert (task.state, task.resolution, task.resolutions) == (TaskState.ACCEPTED, 3, 1)
    assert session.mending == 1
    assert list(session.ready) == [2, 3]
    assert session.counts[TaskState.PLANNED] == 2


def test_merging_the_resolution_merges_the_original() -> None:
    session = a_session("A", planned("B", "A"))
    session = integrate(refuse(accept(session, "A"), "A"), "A-merge")
    assert session.task("A").state is TaskState.INTEGRATED
    assert session.task("A").merge_commit == session.task("A-merge").merge_commit == session.tip
    assert session.mending is None
    assert list(session.removable) == [1, 3]
    assert list(session.ready) == [2]


@pytest.mark.covers("F11")
def test_a_task_that_is_redone_starts_afresh_from_the_merged_work() -> None:
    session = refuse(accept(retry(a_session("A", resolver="shell"), "A"), "A"), "A")
    task = session.task("A")
    assert (task.state, task.base, task.from_tip, task.redos) == (TaskState.PLANNED, "", True, 1)
    assert (task.attempts, task.outcome, task.feedback) == (0, None, "It conflicts")
    assert session.mending == 1
    session = integrate(session, "A")
    assert session.mending is None


def test_a_conflict_beyond_that_waits_for_a_person_and_frees_the_way() -> None:
    session = refuse(accept(a_session("A", resolver="shell"), "A"), "A")
    session = refuse(accept(session, "A"), "A")
    task = session.task("A")
    assert (task.state, task.outcome, task.reason) == (TaskState.BLOCKED, Outcome.INCOMPLETE, "It conflicts")
    assert session.mending is None


def test_a_redone_task_that_is_blocked_frees_the_way_for_other_merges() -> None:
    session = refuse(accept(a_session("A", resolver="shell"), "A"), "A")
    assert block(session, "A").mending is None
    lost = after(claim(session, "A"), e.TaskBlocked(AT, 1, BlockReason.SYSTEM_ERROR, "no disk"))
    assert lost.mending is None


# ── a person, or our own machinery ───────────────────────────────────────────


def test_a_blocked_task_sent_round_again_has_fresh_attempts() -> None:
    session = block(retry(a_session("A"), "A"), "A")
    session = after(session, e.TaskRetried(AT, 1, "another"))
    task = session.task("A")
    assert (task.state, task.attempts, task.block_reason, task.outcome) == (TaskState.PLANNED, 0, None, None)
    assert task.plan.agent == "another"
    assert task.feedback == "- it did not work"
    assert list(session.ready) == [1]


def test_what_a_person_says_is_what_the_agent_hears() -> None:
    blocked = block(a_session("A"), "A")
    session = after(blocked, e.TaskRetried(AT, 1, says="Use the second option."))
    checks = blocked.task("A").feedback
    assert session.task("A").feedback == f"Use the second option.\n\n{checks}".strip(), "and what the checks said"


def test_sent_round_again_with_the_same_agent() -> None:
    assert after(block(a_session("A"), "A"), e.TaskRetried(AT, 1)).task("A").plan.agent == "crew"


def test_failures_of_our_machinery_are_counted_until_something_works() -> None:
    session = claim(a_session("A"), "A")
    failed = e.EffectFailed(AT, "PrepareWorkspace", "no disk", AT + 3, 1)
    session = after(session, failed, failed)
    task = session.task("A")
    assert (task.failures, task.not_before, task.reason, task.attempts) == (2, AT + 3, "no disk", 0)
    assert session.failures == 0
    task = prepare(session, "A").task("A")
    assert (task.failures, task.not_before) == (0, 0.0)


def test_failures_at_the_session_itself_are_counted_apart() -> None:
    session = after(a_session("A"), e.EffectFailed(AT, "Conclude", "no disk", AT + 3))
    assert (session.failures, session.not_before, session.trouble) == (1, AT + 3, "no disk")
    assert session.task("A").failures == 0
    resumed = after(session, e.SessionPaused(AT, "held"), e.SessionResumed(AT))
    assert (resumed.failures, resumed.not_before, resumed.trouble) == (0, 0.0, "")


def test_a_blocked_task_says_why() -> None:
    session = after(leave(start(a_session("A"), "A"), "A"), e.TaskBlocked(AT, 1, BlockReason.MANUAL, "enough"))
    task = session.task("A")
    assert (task.state, task.block_reason, task.reason, task.outcome) == (
        TaskState.BLOCKED,
        BlockReason.MANUAL,
        "enough",
        Outcome.INCOMPLETE,
    )
    ours = after(a_session("A"), e.TaskBlocked(AT, 1, BlockReason.SYSTEM_ERROR, "no disk"))
    assert ours.task("A").outcome is Outcome.ERROR


@pytest.mark.covers("B7")
def test_folding_twice_gives_the_same_session() -> None:
    events = [*opening("A", planned("B", "A")), e.RunPlanned(AT, 1, "run-1", "crew", "talk")]
    events.append(e.WorkspacePrepared(AT, 1, "run-1", BASE, TREE, BASE, (evidence(),)))
    assert fold(events) == fold(events)
    half = fold(events[:3])
    assert fold(events[3:], half) == fold(events)
    assert fold([]) is None


def test_a_conflict_handed_to_a_person_says_that_it_is_a_conflict() -> None:
    session = refuse(accept(a_session("A"), "A"), "A", Disposition.BLOCK)
    assert session.task("A").block_reason is BlockReason.CONFLICT


def test_a_task_blocked_by_a_conflict_begins_from_the_merged_work_when_it_is_sent_round_again() -> None:
    session = refuse(accept(a_session("A"), "A"), "A", Disposition.BLOCK)
    task = after(session, e.TaskRetried(AT, 1)).task("A")
    assert (task.base, task.from_tip) == ("", True)
