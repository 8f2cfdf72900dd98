"""How merging, a person's decisions and our own failures change a task."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import CheckStatus
from toryo.domain.inquiry import Merge
from toryo.domain.plan import PlannedTask
from toryo.domain.run import PERSON, EndedBy, Run, RunState
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome
from toryo.rules.limits import settled
from toryo.rules.taskbook import change_task, mended, new_task
from toryo.rules.wholeness import checks_of_the_whole


def task_integrated(session: Session, event: e.TaskIntegrated) -> Session:
    task = session.tasks[event.task]
    evidence = task.evidence + event.evidence
    # A written result leaves the branch as it was.
    merge_commit = event.commit if event.commit != session.tip else ""
    merged = {"merge_commit": merge_commit, "failures": 0, "not_before": 0.0}
    session = change_task(session, task, TaskState.INTEGRATED, evidence=evidence, **merged)
    if task.resolves is not None:
        original = session.tasks[task.resolves]
        session = change_task(session, original, TaskState.INTEGRATED, **merged)
    if merge_commit:
        merges = session.merges.put(session.seq + 1, Merge(event.commit, event.tree, task.number))
        session = changed(session, merges=merges)
    if _proves(session, event):
        session = changed(session, proven_tree=event.tree, proof=event.results, proof_commit=event.commit)
    mending = None if session.mending in (task.number, task.resolves) else session.mending
    ground = task.plan.merging or session.ground
    session = changed(session, tip=event.commit, tip_tree=event.tree, mending=mending, ground=ground)
    return changed(session, merge_turn=session.seq + 1)


def _proves(session: Session, event: e.TaskIntegrated) -> bool:
    """Whether the merge has shown what the proof of the whole would."""
    passed = {result.name for result in event.results if result.status is CheckStatus.PASSED}
    needed = session.checks if not passed else checks_of_the_whole(session)
    return all(check.name in passed for check in needed)


def merge_refused(session: Session, event: e.MergeRefused) -> Session:
    task = session.tasks[event.task]
    session = changed(session, merge_turn=session.seq + 1)
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
            session = change_task(session, task, resolution=number, resolutions=task.resolutions + 1, **common)
            return changed(session, mending=task.number)
        case Disposition.REDO:
            again = {
                "first_try": task.commit,
                "from_tip": True,
                "redos": task.redos + 1,
                "attempts": 0,
                "resolution": None,
            }
            session = change_task(session, task, TaskState.PLANNED, base="", outcome=None, **again, **common)
            return changed(session, mending=task.number)
        case _:
            session = change_task(
                session,
                task,
                TaskState.BLOCKED,
                outcome=Outcome.INCOMPLETE,
                block_reason=BlockReason.CONFLICT,
                reason=event.feedback.partition("\n")[0],
                **common,
            )
            return mended(session, task)


def _add_resolution(session: Session, task: Task, planned: PlannedTask) -> tuple[Session, int]:
    number = len(session.tasks) + 1
    new = changed(new_task(session, number, planned), resolves=task.number, from_tip=True)
    counts = dict(session.counts)
    counts[TaskState.PLANNED] = counts.get(TaskState.PLANNED, 0) + 1
    return changed(
        session,
        tasks=session.tasks.put(number, new),
        keys={**session.keys, planned.key: number},
        counts=counts,
        ready=session.ready.put(number, None),
    ), number


def workspace_removed(session: Session, event: e.WorkspaceRemoved) -> Session:
    return change_task(session, session.tasks[event.task], worktree=False, failures=0, not_before=0.0)


def workspace_kept(session: Session, event: e.WorkspaceKept) -> Session:
    task = session.tasks[event.task]
    kept = (*session.kept_worktrees, (task.plan.branch, event.why))
    return changed(change_task(session, task, worktree=False), kept_worktrees=kept)


def task_retried(session: Session, event: e.TaskRetried) -> Session:
    task = session.tasks[event.task]
    if task.state is TaskState.RUNNING:
        return change_task(session, task, revision=f"{task.revision}\n\n{event.says}".strip())
    changes = begun_anew(task)
    if event.says:
        changes["feedback"] = _with_words(task, event.says)
    if event.agent:
        changes["plan"] = changed(task.plan, agent=event.agent)
    return change_task(session, task, TaskState.PLANNED, **changes)


def work_handed_in(session: Session, event: e.WorkHandedIn) -> Session:
    """A run that has ended as it began: what matters is what it left."""
    task = session.tasks[event.task]
    run = Run(
        event.run,
        len(task.runs) + 1,
        PERSON,
        "",
        event.at,
        state=RunState.EXITED,
        prepared=True,
        start_commit=task.commit or task.base,
        started_at=event.at,
        ended_at=event.at,
        code=0,
        ended_by=EndedBy.PERSON,
    )
    changes = begun_anew(task) | {"from_tip": False, "worktree": True, "base": event.base, "base_tree": event.base_tree}
    return change_task(
        changed(session, runs=session.runs + 1),
        task,
        TaskState.CHECKING,
        runs=(*task.runs, run),
        evidence=task.evidence + event.evidence,
        **changes,
    )


def begun_anew(task: Task) -> dict[str, Any]:
    """What is forgotten of a task that a person sends round again."""
    changes: dict[str, Any] = {"attempts": 0, "outcome": None, "block_reason": None, "failures": 0, "not_before": 0.0}
    changes |= {"postponements": 0, "postponed_since": 0.0, "question": ""}
    changes["violations"] = settled(task.violations)
    if task.block_reason is BlockReason.MISSING_WORKTREE:
        changes["worktree"] = False
    if task.block_reason in (BlockReason.CONFLICT, BlockReason.CULPRIT):
        changes |= {"base": "", "from_tip": True, "redos": 0, "resolutions": 0, "resolution": None}
    return changes


def task_reassigned(session: Session, event: e.TaskReassigned) -> Session:
    task = session.tasks[event.task]
    return change_task(
        session,
        task,
        plan=changed(task.plan, agent=event.agent, model=""),
        feedback=_with_words(task, event.says),
        postponements=0,
        postponed_since=0.0,
    )


def _with_words(task: Task, says: str) -> str:
    """What a person says comes before what the checks said."""
    return f"{says}\n\n{task.feedback}".strip() if says else task.feedback


def task_blocked(session: Session, event: e.TaskBlocked) -> Session:
    task = session.tasks[event.task]
    session = change_task(
        session,
        task,
        TaskState.BLOCKED,
        block_reason=event.reason,
        reason=event.detail,
        outcome=Outcome.ERROR if event.reason is BlockReason.SYSTEM_ERROR else Outcome.INCOMPLETE,
        failures=0,
        not_before=0.0,
    )
    return mended(session, task)


def effect_failed(session: Session, event: e.EffectFailed) -> Session:
    if event.task is None:
        return changed(session, failures=session.failures + 1, not_before=event.not_before, trouble=event.message)
    task = session.tasks[event.task]
    return change_task(session, task, failures=task.failures + 1, not_before=event.not_before, reason=event.message)
