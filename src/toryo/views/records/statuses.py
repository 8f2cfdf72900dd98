"""How a task stands in a task log, and why where it did not come to a good end."""

from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.task import LIVE, SATISFIED, Task, TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.views.records.enums import TaskLogStatus, TaskStatus


def task_status(task: Task) -> TaskStatus:
    """COMPLETE is only what the rules accepted; what has no verdict yet is incomplete."""
    if task.state in SATISFIED:
        return Outcome.COMPLETE
    return Outcome.INCOMPLETE if task.outcome in (None, Outcome.COMPLETE) else task.outcome


def log_status(task: Task) -> TaskLogStatus:
    if task.state is TaskState.PLANNED:
        return TaskLogStatus.QUEUED
    if task.state in LIVE:
        return TaskLogStatus.RUNNING
    match task_status(task):
        case Outcome.COMPLETE:
            return TaskLogStatus.COMPLETE
        case Outcome.ERROR | Outcome.INVALID:
            return TaskLogStatus.ERROR
        case _:
            return TaskLogStatus.INCOMPLETE


def error_reason(session: Session, task: Task) -> str | None:
    """Why it is incomplete or in error, in words; None where it is neither."""
    if not log_status(task).needs_reason:
        return None
    match task.state:
        case TaskState.REPLACED:
            keys = ", ".join(session.tasks[number].plan.key for number in task.replaced_by)
            return f"replaced by {keys}: {task.reconsidered}".rstrip(": ")
        case TaskState.CANCELLED if task.taken_back:
            return "the conflict it settled is gone: the branch went back to before it"
        case TaskState.CANCELLED:
            return "cancelled: nobody wants it any more"
        case _:
            verdict = task.run.verdict if task.run else None
            said = task.reason.strip() or "; ".join(verdict.reasons if verdict else ())
            return said or str(task.block_reason or "it did not come to an end")


def clarification(task: Task) -> str:
    """What a person has to answer before it goes on; empty: nothing."""
    run = task.run
    if task.state not in (TaskState.BLOCKED, *LIVE):
        return ""
    if task.question or run is None:
        return task.question
    asked = run.report.question if run.report and run.ended_by is EndedBy.QUESTION else ""
    return run.question or asked or (task.reason if task.block_reason is BlockReason.INTERACTIVE_PROMPT else "")


def decision(task: Task) -> str:
    """What Toryo made of the request itself; what came of the work is the status."""
    if clarification(task):
        return "clarify"
    return "reject" if task.state in (TaskState.REPLACED, TaskState.CANCELLED) else "accept"


def log_id(task: Task) -> str:
    """The short id, by which the latest session's tasks can be named."""
    return f"task-{task.number:03}"


def parent_id(session: Session, task: Task) -> str | None:
    parent = task.replaces if task.replaces is not None else task.resolves
    return None if parent is None else session.tasks[parent].id
