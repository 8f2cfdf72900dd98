"""One place that changes a task inside a session, and keeps every index in step with it."""

from collections.abc import Callable
from typing import Any

from toryo.domain.changing import changed
from toryo.domain.events import UnknownEvent
from toryo.domain.moves import move
from toryo.domain.plan import PlannedTask
from toryo.domain.run import RUN_MOVES, Run, RunState
from toryo.domain.session import Session
from toryo.domain.shelf import Shelf
from toryo.domain.task import LIVE, MERGED, SATISFIED, TASK_MOVES, Task, TaskState


def new_task(session: Session, number: int, planned: PlannedTask, needs: tuple[int, ...] = ()) -> Task:
    return Task(number, f"task-{session.short}-{number}", planned, depends_on=needs, unmet=len(needs))


def change_task(session: Session, task: Task, state: TaskState | None = None, **changes: Any) -> Session:
    """The session with this task changed, and every index that follows from its state."""
    new_state = task.state if state is None else move("task", TASK_MOVES, task.state, state)
    if new_state is TaskState.ACCEPTED and new_state is not task.state:
        changes["turn"] = session.seq + 1
    new = changed(task, state=new_state, **changes)
    updates: dict[str, Any] = {"tasks": session.tasks.put(task.number, new)}
    if new_state is not task.state:
        counts = dict(session.counts)
        counts[task.state] -= 1
        counts[new_state] = counts.get(new_state, 0) + 1
        updates["counts"] = counts
        if new_state is TaskState.ACCEPTED:
            updates["accepted"] = session.accepted.put(new.turn, task.number)
        elif task.state is TaskState.ACCEPTED:
            updates["accepted"] = session.accepted.drop(task.turn)
    for name, belongs in _INDEXES:
        index: Shelf[None] = getattr(session, name)
        if belongs(new) != (task.number in index):
            updates[name] = index.put(task.number, None) if belongs(new) else index.drop(task.number)
    return _tell_dependents(changed(session, **updates), task, new)


_INDEXES: tuple[tuple[str, Callable[[Task], bool]], ...] = (
    ("ready", lambda task: task.state is TaskState.PLANNED and not task.unmet),
    ("live", lambda task: task.state in LIVE),
    ("waiting", lambda task: task.state is TaskState.RUNNING and task.runs[-1].state is RunState.WAITING),
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
            session = change_task(session, dependent, unmet=dependent.unmet - fewer)
    return session


def change_run(session: Session, event: Any, run_state: RunState | None = None, **changes: Any) -> tuple[Task, Run]:
    """The task the event names, as it is now, and its current run changed."""
    task = session.tasks[event.task]
    run = task.runs[-1]
    if run.id != event.run:
        raise UnknownEvent(f"{type(event).__name__} names {event.run}, but {run.id} is the task's run")
    if run_state is not None:
        changes["state"] = move("run", RUN_MOVES, run.state, run_state)
    return task, changed(run, **changes)


def with_run(task: Task, run: Run) -> dict[str, Any]:
    """Changes every event about a run makes: the run itself, and our machinery is evidently well."""
    return {"runs": (*task.runs[:-1], run), "failures": 0, "not_before": 0.0}


def mended(session: Session, task: Task) -> Session:
    """Other merges go on once the task they waited for is out of the way."""
    return changed(session, mending=None) if session.mending == task.number else session
