"""Tasks that work on the same files do not run side by side, unless the plan says that they may.

Locks are no state of their own: whatever is live holds those of its paths, all of them from the moment its run is
planned. Nobody holds one while waiting for another, so there is no way into a deadlock.
"""

from collections.abc import Iterable

from toryo.domain.locks import FileLock, LockType
from toryo.domain.plan import PlannedTask
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.rules.pathsets import overlap


def paths_of(plan: PlannedTask) -> tuple[str, ...]:
    """What the task says it works on, in order; nothing, where it says nothing."""
    return tuple(sorted(plan.scope or plan.expect))


def shared_path(one: PlannedTask, other: PlannedTask) -> str:
    """The path because of which these two do not run side by side; empty if they may."""
    if one.may_overlap or other.may_overlap or (one.type.is_read_only and other.type.is_read_only):
        return ""
    is_path = (not one.scope, not other.scope)
    for path in paths_of(one):
        if any(overlap(path, also, is_path=is_path) for also in paths_of(other)):
            return path
    return ""


def in_the_way(session: Session, task: Task) -> tuple[Task, str] | None:
    """Who is at work on the same files, and on which: as the plan says, or as was seen."""
    declared = _first_in_the_way(task, (session.tasks[number] for number in session.live))
    return declared or _seen_in_the_way(session, task)


def _seen_in_the_way(session: Session, task: Task) -> tuple[Task, str] | None:
    for seen in session.touched:
        other = session.tasks[seen.task]
        if not is_still_coming(session, other) or other is task or task.plan.may_overlap or other.plan.may_overlap:
            continue
        if path := next((path for path in seen.files if covers(task.plan, path)), ""):
            return other, path
    return None


def is_still_coming(session: Session, task: Task) -> bool:
    """It is at work, or is merged next: once it is, others begin from what it did."""
    if task.number in session.live:
        return True
    is_next = session.mending is None and all(session.tasks[need].state in MERGED for need in task.depends_on)
    return task.state is TaskState.ACCEPTED and is_next


def covers(plan: PlannedTask, path: str) -> bool:
    """Whether the task says that it works on this file."""
    is_path = (True, not plan.scope)
    return any(overlap(path, own, is_path=is_path) for own in paths_of(plan))


def may_take(session: Session, task: Task, before: Iterable[Task] = ()) -> bool:
    """Whether all its locks are free, and none is wanted by those before it."""
    if not paths_of(task.plan):
        return True
    return in_the_way(session, task) is None and _first_in_the_way(task, before) is None


def _first_in_the_way(task: Task, others: Iterable[Task]) -> tuple[Task, str] | None:
    if not paths_of(task.plan):
        return None
    for other in others:
        if other.number != task.number and (path := shared_path(task.plan, other.plan)):
            return other, path
    return None


def locks(session: Session) -> tuple[FileLock, ...]:
    """Everything that is held now."""
    held: list[FileLock] = []
    for number in session.live:
        task = session.tasks[number]
        run = task.runs[-1]
        kind = LockType.READ if task.plan.type.is_read_only else LockType.WRITE
        until = (run.started_at or run.planned_at) + (task.plan.limits.seconds or session.terms.time_limit)
        held += [FileLock(path, number, run.id, run.planned_at, kind, until) for path in paths_of(task.plan)]
    return tuple(held)
