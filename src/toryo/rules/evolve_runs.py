"""How the events of a run change its task."""

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.run import Run, RunState
from toryo.domain.session import Session
from toryo.domain.task import MERGED, TaskState
from toryo.domain.verdict import Disposition, Outcome
from toryo.rules.taskbook import change_run, change_task, mended, with_run


def run_planned(session: Session, event: e.RunPlanned) -> Session:
    task = session.tasks[event.task]
    run = Run(event.run, len(task.runs) + 1, event.agent, event.conversation, event.at)
    return change_task(session, task, TaskState.RUNNING, runs=(*task.runs, run), failures=0, not_before=0.0)


def workspace_prepared(session: Session, event: e.WorkspacePrepared) -> Session:
    task, run = change_run(session, event, prepared=True, start_commit=event.head)
    return change_task(
        session,
        task,
        base=event.base,
        base_tree=event.base_tree,
        worktree=True,
        evidence=task.evidence + event.evidence,
        **with_run(task, run),
    )


def workspace_refused(session: Session, event: e.WorkspaceRefused) -> Session:
    task, run = change_run(session, event, RunState.LOST, trouble=event.detail, ended_at=event.at)
    return mended(
        change_task(
            session,
            task,
            TaskState.BLOCKED,
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
        TaskState.PLANNED,
        needs_merged_dependencies=True,
        from_tip=True,
        unmet=unmet,
        **with_run(task, run),
    )


def run_started(session: Session, event: e.RunStarted) -> Session:
    task, run = change_run(session, event, RunState.WORKING, pid=event.pid, started_at=event.at)
    return change_task(session, task, **with_run(task, run))


def run_exited(session: Session, event: e.RunExited) -> Session:
    task, run = change_run(
        session,
        event,
        RunState.EXITED,
        code=event.code,
        ended_by=event.ended_by,
        reaped=event.reaped,
        ended_at=event.ended_at or event.at,
    )
    return change_task(
        session, task, TaskState.CHECKING, evidence=task.evidence + event.evidence, **with_run(task, run)
    )


def run_stopped(session: Session, event: e.RunStopped) -> Session:
    task, run = change_run(session, event, RunState.STOPPED, reaped=event.reaped, ended_at=event.at)
    return change_task(session, task, TaskState.PLANNED, **with_run(task, run))


def run_lost(session: Session, event: e.RunLost) -> Session:
    task, run = change_run(session, event, RunState.LOST, trouble=event.why, ended_at=event.at)
    return change_task(session, task, TaskState.CHECKING, **with_run(task, run))


def work_observed(session: Session, event: e.WorkObserved) -> Session:
    task, run = change_run(session, event, observation=event.observation)
    return change_task(
        session,
        task,
        commit=event.observation.commit,
        tree=event.observation.tree,
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
}


def verdict_reached(session: Session, event: e.VerdictReached) -> Session:
    verdict = event.verdict
    task, run = change_run(session, event, verdict=verdict)
    session = change_task(
        session,
        task,
        _AFTER_VERDICT[verdict.disposition],
        outcome=verdict.outcome,
        attempts=task.attempts + 1,
        feedback=verdict.feedback,
        reason="; ".join(verdict.reasons),
        block_reason=verdict.block_reason,
        **with_run(task, run),
    )
    return mended(session, task) if verdict.disposition is Disposition.BLOCK else session
