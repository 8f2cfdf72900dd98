"""The tasks of a session by how they stand: failed, active, pending, completed."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.views.columns import clipped, columns
from toryo.views.decisions import question_of
from toryo.views.records.chronicle import Chronicle
from toryo.views.records.enums import TaskLogStatus
from toryo.views.records.statuses import clarification, error_reason, log_id, log_status, task_status
from toryo.views.records.tasklogs import Line, line_of
from toryo.views.words import state_words


class Group(StrEnum):
    FAILED = "failed"
    ACTIVE = "active"
    PENDING = "pending"
    COMPLETED = "completed"
    DROPPED = "dropped"
    """Replaced or cancelled: nobody waits for them."""


_GROUPS = {
    TaskLogStatus.QUEUED: Group.PENDING,
    TaskLogStatus.RUNNING: Group.ACTIVE,
    TaskLogStatus.COMPLETE: Group.COMPLETED,
    TaskLogStatus.INCOMPLETE: Group.FAILED,
    TaskLogStatus.ERROR: Group.FAILED,
}
_NO_LONGER = (TaskState.REPLACED, TaskState.CANCELLED)


def group_of(task: Task) -> Group:
    return Group.DROPPED if task.state in _NO_LONGER else _GROUPS[log_status(task)]


def grouped(tasks: Iterable[Task]) -> dict[Group, list[Task]]:
    groups: dict[Group, list[Task]] = {group: [] for group in Group}
    for task in tasks:
        groups[group_of(task)].append(task)
    return groups


def summary_line(groups: dict[Group, list[Task]]) -> str:
    """How many there are of each; of dropped ones only where there are any."""
    count = sum(map(len, groups.values()))
    shown = [f"{len(tasks)} {group}" for group, tasks in groups.items() if tasks or group is not Group.DROPPED]
    return f"{count} task{'' if count == 1 else 's'}: {', '.join(shown)}"


def group_lines(told: Chronicle, now: float, room: int = 0, mentioned: Callable[[str], str] = str) -> list[str]:
    """A table for each group that has tasks, with the one question of each that is blocked; then the summary."""
    session = told.session
    groups = grouped(session.tasks.values())
    lines: list[str] = []
    for group, tasks in groups.items():
        if tasks:
            rows = [_cells(session, line_of(told, task, now)) for task in tasks]
            table = columns(rows, (), max(0, room - 2))
            asked = [line for task in tasks for line in _question_lines(task, mentioned)]
            lines += [f"{group.value.upper()} ({len(tasks)})", *(f"  {row}" for row in table), *asked, ""]
    return [*lines, summary_line(groups)]


def _question_lines(task: Task, mentioned: Callable[[str], str]) -> list[str]:
    asks = question_of(task)
    if not asks:
        return []
    key = task.plan.key
    return [f"  {key} asks: {' '.join(asks.split())}", mentioned(f"    → toryo answer {key} 'your answer'")]


def _cells(session: Session, line: Line) -> tuple[str, ...]:
    task = line.task
    why = clarification(task) or error_reason(session, task)
    says = state_words(session, task) + (f": {why}" if why and task.state is TaskState.BLOCKED else "")
    took = say_duration(max(line.duration_ms / 1000, 0.001)) if line.duration_ms else "-"
    return log_id(task), task.id, task.plan.key, took, clipped(mask(says), 70), clipped(mask(task.plan.title), 44)


def group_rows(told: Chronicle, now: float) -> dict[str, Any]:
    """The same for programs."""
    session = told.session
    groups = grouped(session.tasks.values())
    return {
        "session": session.id,
        "summary": {group.value: len(tasks) for group, tasks in groups.items()},
        **{group.value: [_row(session, line_of(told, task, now)) for task in tasks] for group, tasks in groups.items()},
    }


def _row(session: Session, line: Line) -> dict[str, Any]:
    task = line.task
    reason, asks = error_reason(session, task), question_of(task) or clarification(task)
    return {
        "task_id": log_id(task),
        "external_task_id": task.id,
        "key": task.plan.key,
        "title": mask(task.plan.title),
        "state": task.state.value,
        "says": mask(state_words(session, task)),
        "log_status": line.status.value,
        "status": task_status(task).value,
        "error_reason": None if reason is None else mask(reason),
        "question": mask(asks) or None,
        "duration_ms": line.duration_ms,
    }
