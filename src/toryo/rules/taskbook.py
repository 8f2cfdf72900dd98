"""One place that changes a session and the tasks in it, and keeps every index in step with them."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from toryo.domain.changing import changed
from toryo.domain.events import UnknownEvent
from toryo.domain.moves import move
from toryo.domain.plan import PlannedTask
from toryo.domain.run import RUN_MOVES, Run, RunState
from toryo.domain.session import SESSION_MOVES, Session, SessionState
from toryo.domain.shelf import Shelf
from toryo.domain.task import LIVE, MERGED, SATISFIED, TASK_MOVES, Task, TaskState
from toryo.domain.verdict import BlockReason

T = TypeVar("T")


def become(session: Session, state: SessionState, **changes: Any) -> Session:
    """The session in another state; raises IllegalMove where there is no way there."""
    return changed(session, state=move("session", SESSION_MOVES, session.state, state), **changes)


def new_task(session: Session, number: int, planned: PlannedTask, needs: tuple[int, ...] = ()) -> Task:
    return Task(number, f"task-{session.short}-{number}", planned, depends_on=needs, unmet=len(needs))


def add_tasks(session: Session, planned: Sequence[PlannedTask]) -> Session:
    """The session with these tasks behind those it has; dependencies are keys of old or new ones."""
    first = max(session.tasks, default=0) + 1
    keys = {**session.keys, **{task.key: number for number, task in enumerate(planned, first)}}
    dependents = {need: list(numbers) for need, numbers in session.dependents.items()}
    new: list[tuple[int, Task]] = []
    for number, plan in enumerate(planned, first):
        needs = tuple(keys[key] for key in plan.depends_on)
        for need in needs:
            dependents.setdefault(need, []).append(number)
        met = sum(need < first and session.tasks[need].state in MERGED for need in needs)
        task = new_task(session, number, plan, needs)
        # What is added later begins from what is merged by then: earlier tasks' own branches may be gone.
        later = {"unmet": task.unmet - met, "from_tip": True, "needs_merged_dependencies": True}
        later["from_tip"] = not plan.mends  # that goes on from the very work that it mends
        new.append((number, changed(task, **later) if first > 1 else task))
    counts = dict(session.counts)
    counts[TaskState.PLANNED] = counts.get(TaskState.PLANNED, 0) + len(new)
    return changed(
        session,
        tasks=_with(session.tasks, new),
        keys=keys,
        dependents={need: tuple(numbers) for need, numbers in dependents.items()},
        counts=counts,
        ready=_with(session.ready, [(number, None) for number, task in new if not task.unmet]),
    )


def rewire(session: Session, old: int, new: tuple[int, ...]) -> Session:
    """The session in which those who depended on one task depend on others instead, none of which is satisfied."""
    for number in session.dependents.get(old, ()):
        task = session.tasks[number]
        needs = tuple(dict.fromkeys([*(need for need in task.depends_on if need != old), *new]))
        session = change_task(session, task, depends_on=needs, unmet=task.unmet + len(needs) - len(task.depends_on))
    dependents = {need: numbers for need, numbers in session.dependents.items() if need != old}
    for need in new:
        dependents[need] = (*dependents.get(need, ()), *session.dependents.get(old, ()))
    return changed(session, dependents=dependents)


def hopeless(session: Session, old: Task | None = None) -> frozenset[int]:
    """Tasks for which no new one can wait: given up, or, where the new ones take a task's place, waiting for that."""
    gone = {task.number for task in session.tasks.values() if task.state in (TaskState.REPLACED, TaskState.CANCELLED)}
    ahead = [*gone] if old is None else [*gone, old.number]
    while ahead:
        number = ahead.pop()
        gone.add(number)
        ahead += [waiting for waiting in session.dependents.get(number, ()) if waiting not in gone]
    return frozenset(gone)


def is_still_needed(session: Session, task: Task) -> bool:
    """A resolution is, as long as the task it settles waits for it and not for another way."""
    if task.resolves is None:
        return True
    original = session.tasks[task.resolves]
    return original.state is TaskState.ACCEPTED and original.resolution == task.number


def drop_tasks_after(session: Session, last: int) -> Session:
    """The session without the tasks behind this one, none of which has begun."""
    gone = {number for number in session.tasks if number > last}
    counts = dict(session.counts)
    counts[TaskState.PLANNED] = counts.get(TaskState.PLANNED, 0) - len(gone)
    dependents = {need: tuple(n for n in numbers if n not in gone) for need, numbers in session.dependents.items()}
    return changed(
        session,
        tasks=_without(session.tasks, gone),
        keys={key: number for key, number in session.keys.items() if number not in gone},
        dependents={need: numbers for need, numbers in dependents.items() if need not in gone},
        counts=counts,
        ready=_without(session.ready, gone),
    )


def _with(shelf: Shelf[T], items: list[tuple[int, T]]) -> Shelf[T]:
    return Shelf([*shelf.items(), *items])


def _without(shelf: Shelf[T], gone: Collection[int]) -> Shelf[T]:
    return Shelf([(number, thing) for number, thing in shelf.items() if number not in gone])


def change_task(session: Session, task: Task, state: TaskState | None = None, **changes: Any) -> Session:
    """The session with this task changed, and every index that follows from its state."""
    new_state = task.state if state is None else move("task", TASK_MOVES, task.state, state)
    if new_state in (TaskState.CHECKING, TaskState.ACCEPTED) and new_state is not task.state:
        changes.setdefault("turn", session.seq + 1)
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


_OF_THE_WORK = (BlockReason.MAX_RETRIES, BlockReason.NO_EVIDENCE, BlockReason.REVIEW, BlockReason.CHECK_FAILED)
"""Reasons about which a model may say what to do: the work itself failed."""
_INDEXES: tuple[tuple[str, Callable[[Task], bool]], ...] = (
    ("ready", lambda task: task.state is TaskState.PLANNED and not task.unmet),
    ("live", lambda task: task.state in LIVE),
    ("waiting", lambda task: task.state is TaskState.RUNNING and task.runs[-1].state is RunState.WAITING),
    ("removable", lambda task: task.state in MERGED and task.worktree),
    ("stuck", lambda task: _is_stuck(task)),
)


def _is_stuck(task: Task) -> bool:
    # What becomes of a conflict that could not be settled is decided by the rules of merging.
    is_of_the_work = task.block_reason in _OF_THE_WORK and task.resolves is None
    return task.state is TaskState.BLOCKED and is_of_the_work and not task.question


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
