"""The fold: one event applied to a session. Bookkeeping with no policy in it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.moves import move
from toryo.domain.plan import PlannedTask
from toryo.domain.run import RUN_MOVES, Run, RunState
from toryo.domain.session import SESSION_MOVES, Session, SessionState
from toryo.domain.shelf import Shelf
from toryo.domain.task import LIVE, MERGED, SATISFIED, SETTLED, TASK_MOVES, Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome


class UnknownEvent(Exception):
    """A kind of event this version does not know; folding on would guess."""


def evolve(session: Session | None, event: e.Event) -> Session:
    """The session after the event; raises IllegalMove, changing nothing, where the event cannot follow."""
    if isinstance(event, e.SessionOpened):
        return _opened(event)
    if session is None:
        raise UnknownEvent(f"{type(event).__name__} cannot be the first event of a session")
    apply = _APPLY.get(type(event))
    if apply is None:
        raise UnknownEvent(f"no rule folds {type(event).__name__}")
    evolved: Session = apply(session, event)
    return replace(evolved, seq=session.seq + 1, updated_at=event.at)


def fold(events: Iterable[e.Event], session: Session | None = None) -> Session | None:
    for event in events:
        session = evolve(session, event)
    return session


# ── the session ──────────────────────────────────────────────────────────────


def _opened(event: e.SessionOpened) -> Session:
    return Session(
        id=event.session,
        title=event.title,
        source=event.source,
        base_branch=event.base_branch,
        base_commit=event.base_commit,
        base_tree=event.base_tree,
        branch=event.branch,
        opened_at=event.at,
        updated_at=event.at,
        terms=event.terms,
        parallel=event.terms.parallel,
        tip=event.base_commit,
        tip_tree=event.base_tree,
        seq=1,
    )


def _become(session: Session, state: SessionState, **changes: Any) -> Session:
    return replace(session, state=move("session", SESSION_MOVES, session.state, state), **changes)


def _plan_proposed(session: Session, event: e.PlanProposed) -> Session:
    keys = {planned.key: number for number, planned in enumerate(event.tasks, 1)}
    tasks: list[tuple[int, Task]] = []
    dependents: dict[int, list[int]] = {}
    for number, planned in enumerate(event.tasks, 1):
        needs = tuple(keys[key] for key in planned.depends_on)
        for need in needs:
            dependents.setdefault(need, []).append(number)
        tasks.append((number, _new_task(session, number, planned, needs)))
    return _become(
        session,
        SessionState.AWAITING_APPROVAL,
        tasks=Shelf(tasks),
        checks=event.checks,
        keys=keys,
        dependents={need: tuple(numbers) for need, numbers in dependents.items()},
        counts={TaskState.PLANNED: len(tasks)},
        ready=Shelf((number, None) for number, task in tasks if not task.unmet),
    )


def _new_task(session: Session, number: int, planned: PlannedTask, needs: tuple[int, ...] = ()) -> Task:
    return Task(number, f"task-{session.short}-{number}", planned, depends_on=needs, unmet=len(needs))


def _paused(session: Session, event: e.SessionPaused) -> Session:
    return _become(
        session,
        SessionState.PAUSED,
        resumes_to=session.state,
        pause_reason=event.reason,
        waits_for_person=event.waits_for_person,
    )


def _resumed(session: Session, _: e.SessionResumed) -> Session:
    target = session.resumes_to
    if target is SessionState.CONCLUDING:
        target = SessionState.EXECUTING
    return _become(
        session, target, pause_reason="", waits_for_person=False, failures=0, not_before=0.0, trouble=""
    )


def _proven(session: Session, event: e.SessionProven) -> Session:
    passed = all(result.status is CheckStatus.PASSED for result in event.results)
    return replace(
        session,
        proof=event.results,
        proof_commit=event.commit,
        proven_tree=event.tree if passed else session.proven_tree,
        failures=0,
        not_before=0.0,
    )


def _closed(session: Session, event: e.SessionClosed) -> Session:
    if event.discarded:
        for task in list(session.tasks.values()):
            if task.state not in SETTLED:
                session = _task(session, task, TaskState.CANCELLED)
    return _become(session, SessionState.CLOSED, outcome=event.outcome, closed_at=event.at)


# ── tasks: one place keeps every index in step ───────────────────────────────


def _task(session: Session, task: Task, state: TaskState | None = None, **changes: Any) -> Session:
    """The session with this task changed, and every index that follows from its state."""
    new_state = task.state if state is None else move("task", TASK_MOVES, task.state, state)
    changed = replace(task, state=new_state, **changes)
    updates: dict[str, Any] = {"tasks": session.tasks.put(task.number, changed)}
    if new_state is not task.state:
        counts = dict(session.counts)
        counts[task.state] -= 1
        counts[new_state] = counts.get(new_state, 0) + 1
        updates["counts"] = counts
    for name, belongs in _INDEXES:
        index: Shelf[None] = getattr(session, name)
        if belongs(changed) != (task.number in index):
            updates[name] = index.put(task.number, None) if belongs(changed) else index.drop(task.number)
    return _tell_dependents(replace(session, **updates), task, changed)


_INDEXES: tuple[tuple[str, Callable[[Task], bool]], ...] = (
    ("ready", lambda task: task.state is TaskState.PLANNED and not task.unmet),
    ("live", lambda task: task.state in LIVE),
    ("accepted", lambda task: task.state is TaskState.ACCEPTED),
    ("removable", lambda task: task.state in MERGED and task.worktree),
)


def _tell_dependents(session: Session, old: Task, new: Task) -> Session:
    satisfied = (new.state in SATISFIED) - (old.state in SATISFIED)
    merged = (new.state in MERGED) - (old.state in MERGED)
    if not satisfied and not merged:
        return session
    for number in session.dependents.get(new.number, ()):
        dependent = session.tasks[number]
        fewer = merged if dependent.needs_merged_dependencies else satisfied
        if fewer:
            session = _task(session, dependent, unmet=dependent.unmet - fewer)
    return session


def _run(session: Session, event: Any, run_state: RunState | None = None, **changes: Any) -> tuple[Task, Run]:
    """The task the event names, as it is now, and its current run changed."""
    task = session.tasks[event.task]
    run = task.runs[-1]
    if run.id != event.run:
        raise UnknownEvent(f"{type(event).__name__} names {event.run}, but {run.id} is the task's run")
    if run_state is not None:
        changes["state"] = move("run", RUN_MOVES, run.state, run_state)
    return task, replace(run, **changes)


def _with_run(task: Task, run: Run) -> dict[str, Any]:
    """Changes every event about a run makes: the run itself, and our machinery is evidently well."""
    return {"runs": (*task.runs[:-1], run), "failures": 0, "not_before": 0.0}


# ── a task's run ─────────────────────────────────────────────────────────────


def _run_planned(session: Session, event: e.RunPlanned) -> Session:
    task = session.tasks[event.task]
    run = Run(event.run, len(task.runs) + 1, event.agent, event.conversation, event.at)
    return _task(session, task, TaskState.RUNNING, runs=(*task.runs, run), failures=0, not_before=0.0)


def _workspace_prepared(session: Session, event: e.WorkspacePrepared) -> Session:
    task, run = _run(session, event, prepared=True, start_commit=event.head)
    return _task(
        session,
        task,
        base=event.base,
        base_tree=event.base_tree,
        worktree=True,
        evidence=task.evidence + event.evidence,
        **_with_run(task, run),
    )


def _workspace_refused(session: Session, event: e.WorkspaceRefused) -> Session:
    task, run = _run(session, event, RunState.LOST, trouble=event.detail, ended_at=event.at)
    return _mended(
        _task(
            session,
            task,
            TaskState.BLOCKED,
            block_reason=event.reason,
            reason=event.detail,
            outcome=Outcome.ERROR,
            evidence=task.evidence + event.evidence,
            **_with_run(task, run),
        ),
        task,
    )


def _bases_conflicted(session: Session, event: e.BasesConflicted) -> Session:
    task, run = _run(session, event, RunState.STOPPED, trouble="its dependencies conflict", ended_at=event.at)
    unmet = sum(session.tasks[need].state not in MERGED for need in task.depends_on)
    return _task(
        session,
        task,
        TaskState.PLANNED,
        needs_merged_dependencies=True,
        from_tip=True,
        unmet=unmet,
        **_with_run(task, run),
    )


def _run_started(session: Session, event: e.RunStarted) -> Session:
    task, run = _run(session, event, RunState.WORKING, pid=event.pid, started_at=event.at)
    return _task(session, task, **_with_run(task, run))


def _run_exited(session: Session, event: e.RunExited) -> Session:
    task, run = _run(
        session,
        event,
        RunState.EXITED,
        code=event.code,
        ended_by=event.ended_by,
        reaped=event.reaped,
        ended_at=event.at,
    )
    return _task(
        session, task, TaskState.CHECKING, evidence=task.evidence + event.evidence, **_with_run(task, run)
    )


def _run_stopped(session: Session, event: e.RunStopped) -> Session:
    task, run = _run(session, event, RunState.STOPPED, reaped=event.reaped, ended_at=event.at)
    return _task(session, task, TaskState.PLANNED, **_with_run(task, run))


def _run_lost(session: Session, event: e.RunLost) -> Session:
    task, run = _run(session, event, RunState.LOST, trouble=event.why, ended_at=event.at)
    return _task(session, task, TaskState.CHECKING, **_with_run(task, run))


def _work_observed(session: Session, event: e.WorkObserved) -> Session:
    task, run = _run(session, event, observation=event.observation)
    return _task(
        session,
        task,
        commit=event.observation.commit,
        tree=event.observation.tree,
        evidence=task.evidence + event.evidence,
        **_with_run(task, run),
    )


def _check_finished(session: Session, event: e.CheckFinished) -> Session:
    task, run = _run(session, event)
    run = replace(run, results=(*run.results, event.result))
    return _task(session, task, evidence=task.evidence + event.evidence, **_with_run(task, run))


_AFTER_VERDICT = {
    Disposition.ACCEPT: TaskState.ACCEPTED,
    Disposition.RETRY: TaskState.PLANNED,
    Disposition.BLOCK: TaskState.BLOCKED,
    Disposition.SKIP: TaskState.SKIPPED,
}


def _verdict_reached(session: Session, event: e.VerdictReached) -> Session:
    verdict = event.verdict
    task, run = _run(session, event, verdict=verdict)
    session = _task(
        session,
        task,
        _AFTER_VERDICT[verdict.disposition],
        outcome=verdict.outcome,
        attempts=task.attempts + 1,
        feedback=verdict.feedback,
        reason="; ".join(verdict.reasons),
        block_reason=verdict.block_reason,
        **_with_run(task, run),
    )
    return _mended(session, task) if verdict.disposition is Disposition.BLOCK else session


def _mended(session: Session, task: Task) -> Session:
    """Other merges go on once the task they waited for is out of the way."""
    return replace(session, mending=None) if session.mending == task.number else session


# ── integration ──────────────────────────────────────────────────────────────


def _task_integrated(session: Session, event: e.TaskIntegrated) -> Session:
    task = session.tasks[event.task]
    evidence = task.evidence + event.evidence
    merged = {"merge_commit": event.commit, "failures": 0, "not_before": 0.0}
    session = _task(session, task, TaskState.INTEGRATED, evidence=evidence, **merged)
    if task.resolves is not None:
        original = session.tasks[task.resolves]
        session = _task(session, original, TaskState.INTEGRATED, **merged)
    passed = {result.name for result in event.results if result.status is CheckStatus.PASSED}
    if all(check.name in passed for check in session.checks):
        session = replace(session, proven_tree=event.tree, proof=event.results, proof_commit=event.commit)
    mending = None if session.mending in (task.number, task.resolves) else session.mending
    return replace(session, tip=event.commit, tip_tree=event.tree, mending=mending)


def _merge_refused(session: Session, event: e.MergeRefused) -> Session:
    task = session.tasks[event.task]
    common: dict[str, Any] = {
        "evidence": task.evidence + event.evidence,
        "feedback": event.feedback,
        "failures": 0,
        "not_before": 0.0,
    }
    match event.disposition:
        case Disposition.RESOLVE:
            assert event.resolution is not None
            session, number = _add_resolution(session, task, event.resolution)
            session = _task(session, task, resolution=number, resolutions=task.resolutions + 1, **common)
            return replace(session, mending=task.number)
        case Disposition.REDO:
            again = {"from_tip": True, "redos": task.redos + 1, "attempts": 0, "resolution": None}
            session = _task(session, task, TaskState.PLANNED, base="", outcome=None, **again, **common)
            return replace(session, mending=task.number)
        case _:
            session = _task(
                session,
                task,
                TaskState.BLOCKED,
                outcome=Outcome.INCOMPLETE,
                reason=event.feedback.partition("\n")[0],
                **common,
            )
            return _mended(session, task)


def _add_resolution(session: Session, task: Task, planned: PlannedTask) -> tuple[Session, int]:
    number = len(session.tasks) + 1
    new = replace(_new_task(session, number, planned), resolves=task.number, from_tip=True)
    counts = dict(session.counts)
    counts[TaskState.PLANNED] = counts.get(TaskState.PLANNED, 0) + 1
    return replace(
        session,
        tasks=session.tasks.put(number, new),
        keys={**session.keys, planned.key: number},
        counts=counts,
        ready=session.ready.put(number, None),
    ), number


def _workspace_removed(session: Session, event: e.WorkspaceRemoved) -> Session:
    return _task(session, session.tasks[event.task], worktree=False, failures=0, not_before=0.0)


def _workspace_kept(session: Session, event: e.WorkspaceKept) -> Session:
    task = session.tasks[event.task]
    kept = (*session.kept_worktrees, (task.plan.branch, event.why))
    return replace(_task(session, task, worktree=False), kept_worktrees=kept)


# ── a person, or our own machinery ───────────────────────────────────────────


def _task_retried(session: Session, event: e.TaskRetried) -> Session:
    task = session.tasks[event.task]
    planned = replace(task.plan, agent=event.agent) if event.agent else task.plan
    return _task(
        session,
        task,
        TaskState.PLANNED,
        plan=planned,
        attempts=0,
        outcome=None,
        block_reason=None,
        worktree=task.worktree and task.block_reason is not BlockReason.MISSING_WORKTREE,
        failures=0,
        not_before=0.0,
    )


def _task_blocked(session: Session, event: e.TaskBlocked) -> Session:
    task = session.tasks[event.task]
    session = _task(
        session,
        task,
        TaskState.BLOCKED,
        block_reason=event.reason,
        reason=event.detail,
        outcome=Outcome.ERROR,
        failures=0,
        not_before=0.0,
    )
    return _mended(session, task)


def _effect_failed(session: Session, event: e.EffectFailed) -> Session:
    if event.task is None:
        return replace(
            session, failures=session.failures + 1, not_before=event.not_before, trouble=event.message
        )
    task = session.tasks[event.task]
    return _task(
        session, task, failures=task.failures + 1, not_before=event.not_before, reason=event.message
    )


_APPLY: dict[type[e.Event], Callable[[Session, Any], Session]] = {
    e.PlanProposed: _plan_proposed,
    e.PlanApproved: lambda session, _: _become(session, SessionState.EXECUTING),
    e.ParallelChanged: lambda session, event: replace(session, parallel=event.parallel),
    e.SessionPaused: _paused,
    e.SessionResumed: _resumed,
    e.WorkSettled: lambda session, _: _become(session, SessionState.CONCLUDING),
    e.SessionProven: _proven,
    e.SessionClosed: _closed,
    e.RunPlanned: _run_planned,
    e.WorkspacePrepared: _workspace_prepared,
    e.WorkspaceRefused: _workspace_refused,
    e.BasesConflicted: _bases_conflicted,
    e.RunStarted: _run_started,
    e.RunExited: _run_exited,
    e.RunStopped: _run_stopped,
    e.RunLost: _run_lost,
    e.WorkObserved: _work_observed,
    e.CheckFinished: _check_finished,
    e.VerdictReached: _verdict_reached,
    e.TaskIntegrated: _task_integrated,
    e.MergeRefused: _merge_refused,
    e.WorkspaceRemoved: _workspace_removed,
    e.WorkspaceKept: _workspace_kept,
    e.TaskRetried: _task_retried,
    e.TaskBlocked: _task_blocked,
    e.EffectFailed: _effect_failed,
}
