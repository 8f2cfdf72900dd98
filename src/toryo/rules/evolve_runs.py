"""How the events of a run change its task."""

import math

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.limits import Cost
from toryo.domain.report import Report, Usage
from toryo.domain.run import Run, RunState, Stall
from toryo.domain.session import Pause, Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.taskbook import change_run, change_task, mended, with_run


def run_planned(session: Session, event: e.RunPlanned) -> Session:
    task = session.tasks[event.task]
    session = without_pause(session, session.credential_of(task))
    session = changed(session, runs=session.runs + 1)
    run = Run(event.run, len(task.runs) + 1, event.agent, event.conversation, event.at)
    again = {"failures": 0, "not_before": 0.0, "behind": None}
    return change_task(session, task, TaskState.RUNNING, runs=(*task.runs, run), **again)


def workspace_prepared(session: Session, event: e.WorkspacePrepared) -> Session:
    task, run = change_run(session, event, prepared=True, start_commit=event.head)
    if event.base != task.base:  # it begins anew: what was seen of its work before is not there any more
        session = _without_collisions(session, task)
    return change_task(
        session,
        task,
        base=event.base,
        base_tree=event.base_tree,
        worktree=True,
        evidence=task.evidence + event.evidence,
        **with_run(task, run),
    )


def _without_collisions(session: Session, task: Task) -> Session:
    left = tuple(found for found in session.collisions if task.number not in (found.task, found.other))
    return session if left == session.collisions else changed(session, collisions=left)


def workspace_refused(session: Session, event: e.WorkspaceRefused) -> Session:
    task, run = change_run(session, event, RunState.LOST, trouble=event.detail, ended_at=event.at)
    return mended(
        change_task(
            session,
            task,
            _unless_unwanted(task, TaskState.BLOCKED),
            block_reason=event.reason,
            reason=event.detail,
            outcome=Outcome.ERROR,
            evidence=task.evidence + event.evidence,
            **with_run(task, run),
        ),
        task,
    )


def bases_conflicted(session: Session, event: e.BasesConflicted) -> Session:
    task, run = change_run(session, event, RunState.STOPPED, trouble="its dependencies conflict", ended_at=event.at)
    unmet = sum(session.tasks[need].state not in MERGED for need in task.depends_on)
    return change_task(
        session,
        task,
        _unless_unwanted(task, TaskState.PLANNED),
        needs_merged_dependencies=True,
        from_tip=True,
        unmet=unmet,
        **with_run(task, run),
        **_with_revision(task),
    )


def base_checked(session: Session, event: e.BaseChecked) -> Session:
    task, run = change_run(session, event)
    run = changed(run, before=(*run.before, event.result))
    return change_task(session, task, evidence=task.evidence + event.evidence, **with_run(task, run))


def run_started(session: Session, event: e.RunStarted) -> Session:
    task, run = change_run(session, event, RunState.WORKING, pid=event.pid, started_at=event.at)
    return change_task(session, task, **with_run(task, run))


def conversation_named(session: Session, event: e.ConversationNamed) -> Session:
    return _remarked(session, event, conversation=event.conversation)


def run_waited(session: Session, event: e.RunWaited) -> Session:
    run = session.tasks[event.task].runs[-1]
    state = None if run.state is RunState.WAITING else RunState.WAITING
    return _remarked(session, event, state, question=event.question, waiting_since=event.at, stall=None)


def run_stalled(session: Session, event: e.RunStalled) -> Session:
    run = session.tasks[event.task].runs[-1]
    since = run.stall.since if run.stall and run.stall.trouble is event.trouble else event.at
    stall = Stall(since, event.trouble, event.message, event.until)
    state = RunState.WORKING if run.state is not RunState.WORKING else None  # it waits for nobody, so it takes a slot
    return _remarked(session, event, state, stall=stall, question="", waiting_since=0.0, silent_since=0.0)


def run_went_on(session: Session, event: e.RunWentOn) -> Session:
    run = session.tasks[event.task].runs[-1]
    state = RunState.WORKING if run.state is not RunState.WORKING else None
    return _remarked(session, event, state, question="", waiting_since=0.0, silent_since=0.0, stall=None)


def run_fell_silent(session: Session, event: e.RunFellSilent) -> Session:
    return _remarked(session, event, RunState.UNKNOWN, silent_since=event.since)


def _remarked(session: Session, event: e.TaskEvent, state: RunState | None = None, **changes: object) -> Session:
    task = session.tasks[event.task]
    task, run = change_run(session, event, state, remarks=task.runs[-1].remarks + 1, **changes)
    return change_task(session, task, **with_run(task, run))


def spent(session: Session, run: Run, report: Report | None) -> Session:
    usage = report.usage if report else Usage()
    if run.state is not RunState.EXITED and usage == Usage():
        return session  # it was cut short, and says nothing about what a run costs
    before = session.dearest.get(run.agent, Cost())
    most = Cost(max(before.tokens, usage.tokens), max(before.usd, usage.usd))
    if most != before or run.agent not in session.dearest:
        session = changed(session, dearest={**session.dearest, run.agent: most})
    return changed(session, usage=session.usage + usage) if report else session


def run_exited(session: Session, event: e.RunExited) -> Session:
    task, run = change_run(
        session,
        event,
        RunState.EXITED,
        code=event.code,
        ended_by=event.ended_by,
        reaped=event.reaped,
        ended_at=event.ended_at or event.at,
        report=event.report,
    )
    return change_task(
        spent(session, run, event.report),
        task,
        _unless_unwanted(task, TaskState.CHECKING),
        evidence=task.evidence + event.evidence,
        **with_run(task, run),
    )


def run_stopped(session: Session, event: e.RunStopped) -> Session:
    task, run = change_run(
        session, event, RunState.STOPPED, reaped=event.reaped, ended_at=event.at, report=event.report
    )
    state, others = after_stop(task)
    return change_task(spent(session, run, event.report), task, state, **with_run(task, run), **others)


def after_stop(task: Task) -> tuple[TaskState, dict[str, object]]:
    """What becomes of a task whose run was stopped, and what else changes about it."""
    return _unless_unwanted(task, TaskState.PLANNED), _with_revision(task)


def _unless_unwanted(task: Task, state: TaskState) -> TaskState:
    """What becomes of a task whose run has ended; one that nobody wants any more was only waiting for that."""
    return TaskState.CANCELLED if task.is_unwanted else state


def _with_revision(task: Task) -> dict[str, object]:
    """What a person changed about the task while it was at work is what its next run has to know."""
    if not task.revision:
        return {}
    return {"revision": "", "feedback": f"{task.revision}\n\n{task.feedback}".strip()}


def run_lost(session: Session, event: e.RunLost) -> Session:
    task, run = change_run(session, event, RunState.LOST, trouble=event.why, ended_at=event.at, report=event.report)
    state = _unless_unwanted(task, TaskState.CHECKING)
    evidence = task.evidence + event.evidence
    return change_task(spent(session, run, event.report), task, state, evidence=evidence, **with_run(task, run))


def work_observed(session: Session, event: e.WorkObserved) -> Session:
    task, run = change_run(session, event, observation=event.observation)
    return change_task(
        session,
        task,
        commit=event.observation.commit,
        tree=event.observation.tree,
        set_aside=None,
        turn=session.seq + 1,
        evidence=task.evidence + event.evidence,
        **with_run(task, run),
    )


def check_finished(session: Session, event: e.CheckFinished) -> Session:
    task, run = change_run(session, event)
    run = changed(run, results=(*run.results, event.result))
    return change_task(session, task, evidence=task.evidence + event.evidence, **with_run(task, run))


_AFTER_VERDICT = {
    Disposition.ACCEPT: TaskState.ACCEPTED,
    Disposition.RETRY: TaskState.PLANNED,
    Disposition.BLOCK: TaskState.BLOCKED,
    Disposition.SKIP: TaskState.SKIPPED,
    Disposition.POSTPONE: TaskState.PLANNED,
}
_OF_THE_CREDENTIAL = (BlockReason.QUOTA, BlockReason.LOGIN, BlockReason.TRANSIENT_ERROR)


def verdict_reached(session: Session, event: e.VerdictReached) -> Session:
    verdict = event.verdict
    task, run = change_run(session, event, verdict=verdict)
    postponed = verdict.disposition is Disposition.POSTPONE
    is_burnt = not postponed and verdict.block_reason not in _OF_THE_CREDENTIAL and not task.revision
    session = with_pause(session, task, verdict, event.at)
    session = change_task(
        session,
        task,
        _AFTER_VERDICT[verdict.disposition],
        outcome=verdict.outcome,
        attempts=task.attempts + is_burnt,
        postponements=task.postponements + 1 if postponed else 0,
        postponed_since=(task.postponed_since or event.at) if postponed else 0.0,
        feedback=task.feedback if postponed else verdict.feedback,
        reason="; ".join(verdict.reasons),
        block_reason=None if postponed else verdict.block_reason,
        revision="",
        violations=task.violations + verdict.violations,
        evidence=task.evidence + event.evidence,
        **with_run(task, run),
    )
    return mended(session, task) if verdict.disposition in _ENDS_MENDING else session


_ENDS_MENDING = (Disposition.BLOCK, Disposition.SKIP)
"""Nothing of the task is going to be merged for now: other merges need not wait for it."""


def with_pause(session: Session, task: Task, verdict: Verdict, now: float) -> Session:
    """What stopped one run stops all that would use the same credential: until then, or until a person acts."""
    reason = verdict.block_reason
    if reason not in _OF_THE_CREDENTIAL:
        return session
    is_postponed = verdict.disposition is Disposition.POSTPONE
    pause = Pause(verdict.until if is_postponed else math.inf, reason, "; ".join(verdict.reasons))
    if is_postponed and verdict.until <= now:
        return session
    return changed(session, pauses={**session.pauses, session.credential_of(task): pause})


def without_pause(session: Session, credential: str) -> Session:
    if credential not in session.pauses:
        return session
    return changed(session, pauses={name: pause for name, pause in session.pauses.items() if name != credential})
