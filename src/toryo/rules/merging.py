"""Which merge is next on the session's branch, if any."""

from toryo.domain import effects as fx
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.rules import patience


def next_merge(session: Session) -> fx.Effect | None:
    """One merge at a time, first accepted first, in dependency order; a conflict holds up all other merges."""
    if session.ahead:
        return way_back(session)
    task = _next_to_merge(session)
    if task is None:
        return None
    if task.failures >= patience.ENOUGH:
        return fx.BlockTask(task.number, task.failures, 0.0, task.reason)
    if _resolution_failed(session, task):
        return fx.GiveUpResolution(task.number, task.failures, task.not_before)
    return fx.MergeTask(task.number, task.failures, task.not_before, session.tip)


def way_back(session: Session) -> fx.Effect:
    """Nothing is merged, or landed, on a branch that still has what does not count any more."""
    if session.failures >= patience.ENOUGH:
        return fx.HoldSession(session.seq, 0.0, session.trouble)
    # What else happens meanwhile must not cut it off: its identity is how often it failed, not how much happened.
    return fx.TakeBackMerges(session.failures, session.not_before, session.ahead, session.tip)


def _next_to_merge(session: Session) -> Task | None:
    if session.mending is not None:
        task = session.tasks[session.mending]
        if task.state is not TaskState.ACCEPTED:
            return None
        if task.resolution is None or _resolution_failed(session, task):
            return task
        resolution = session.tasks[task.resolution]
        return resolution if resolution.state is TaskState.ACCEPTED else None
    for number in session.accepted.values():
        task = session.tasks[number]
        if all(session.tasks[need].state in MERGED for need in task.depends_on):
            return task
    return None


def _resolution_failed(session: Session, task: Task) -> bool:
    return task.resolution is not None and session.tasks[task.resolution].state in (
        TaskState.BLOCKED,
        TaskState.CANCELLED,
    )
