"""Whose work is looked at for collisions, which of those seen still matter, and what the scheduler makes of them.

Being set aside is waiting for somebody else's merge, and whoever waits must never be waited for in turn. So nobody is
set aside behind a task that waits for them itself, however indirectly, and whoever turns out to be in such a circle
later does not wait any longer.
"""

from collections.abc import Iterable, Iterator

from toryo.domain.collisions import Collision, Touched
from toryo.domain.facts import fact
from toryo.domain.plan import Collisions, WorktreeChoice
from toryo.domain.run import Run, RunState
from toryo.domain.session import Session
from toryo.domain.task import LIVE, MERGED, Task, TaskState
from toryo.rules.locking import covers, is_still_coming, paths_of

MOST_ASIDES = 3
"""After that it goes on whatever is foreseen: what collides then is settled when it is merged."""
_MOST_FILES = 50
_UNMERGED = LIVE | {TaskState.ACCEPTED}
_GIVEN_UP = (TaskState.BLOCKED, TaskState.CANCELLED, TaskState.REPLACED)
_AT_WORK = (RunState.WORKING, RunState.WAITING, RunState.UNKNOWN)


@fact
class Work:
    """What a task has done so far: a commit, or what is in its worktree now."""

    task: int
    commit: str = ""
    """Empty: it is still being done, so its worktree has to be looked at."""
    run: str = ""
    is_over: bool = False
    """Its run has ended."""

    @property
    def mark(self) -> str:
        return f"{self.task} {self.commit or self.run}{' over' if self.is_over else ''}"


# ── what is looked at ────────────────────────────────────────────────────────


def works_of(session: Session) -> tuple[Work, ...]:
    """Everything that is to be merged and has begun, in the order of the tasks."""
    numbers = sorted({*session.live, *session.accepted.values()})
    return tuple(work for number in numbers if (work := _work(session.tasks[number])))


def _work(task: Task) -> Work | None:
    run = task.run
    if task.plan.type.is_read_only or task.resolution is not None or run is None:
        return None  # a conflict is being settled elsewhere: there the task's work is looked at
    if task.state is TaskState.ACCEPTED or run.observation is not None:
        return Work(task.number, task.commit, run.id, is_over=True) if task.commit else None
    if run.started_at is None or run.state is RunState.LOST:
        return None
    return Work(task.number, run=run.id, is_over=run.ended_at is not None)


def is_worth_looking(session: Session, works: tuple[Work, ...]) -> bool:
    """Two lines of work at least, the merged one included, and somebody still at one of them."""
    is_going_on = any(session.tasks[work.task].state is not TaskState.ACCEPTED for work in works)
    return is_going_on and len(works) + (session.tip != session.base_commit) >= 2


# ── what was seen ────────────────────────────────────────────────────────────


def collisions_now(session: Session) -> tuple[Collision, ...]:
    """Those foreseen of which nothing is over."""
    return tuple(found for found in session.collisions if _still_matters(session, found))


def collisions_of(session: Session, task: Task) -> tuple[Collision, ...]:
    return tuple(found for found in collisions_now(session) if task.number in (found.task, found.other))


def _still_matters(session: Session, found: Collision) -> bool:
    sides = (found.task,) if found.other is None else (found.task, found.other)
    return all(session.tasks[side].state in _UNMERGED and session.tasks[side].resolution is None for side in sides)


def touched_now(session: Session) -> tuple[Touched, ...]:
    return tuple(found for found in session.touched if is_still_coming(session, session.tasks[found.task]))


def touched_of(session: Session, changed: Iterable[tuple[int, tuple[str, ...]]]) -> tuple[Touched, ...]:
    """Of the files that live tasks changed, those they did not declare and a task that waits to start does."""
    if session.terms.collisions is not Collisions.SERIALISE:
        return ()
    waiting = [session.tasks[number] for number in session.ready if paths_of(session.tasks[number].plan)]
    found = []
    for number, files in changed:
        task = session.tasks[number]
        if not is_still_coming(session, task):
            continue
        undeclared = (path for path in files if not covers(task.plan, path))
        wanted = [path for path in undeclared if any(covers(other.plan, path) for other in waiting)]
        if wanted:
            found.append(Touched(number, tuple(wanted[:_MOST_FILES])))
    return tuple(found)


# ── who is set aside ─────────────────────────────────────────────────────────


def should_yield(session: Session, task: Task) -> Collision | None:
    """Why its run is to be stopped: it started later than another that works beside it, and they collide."""
    if session.terms.collisions is not Collisions.SERIALISE or not _may_yield(session, task):
        return None
    for found in collisions_of(session, task):
        if found.other is None:
            continue
        other = session.tasks[found.other if found.task == task.number else found.task]
        if _goes_first(other, task) and not leads_nowhere(session, other, task):
            return Collision(task.number, other.number, found.files)
    return None


def _may_yield(session: Session, task: Task) -> bool:
    is_needed = task.resolves is not None or session.mending == task.number
    is_free = task.plan.worktree is not WorktreeChoice.SHARED and not task.plan.may_overlap
    return _is_at_work(task) and is_free and not is_needed and task.asides < MOST_ASIDES


def _is_at_work(task: Task) -> bool:
    return task.state is TaskState.RUNNING and task.runs[-1].state in _AT_WORK


def _goes_first(other: Task, task: Task) -> bool:
    return _is_at_work(other) and not other.plan.may_overlap and _began(other) < _began(task)


def _began(task: Task) -> tuple[float, int]:
    run: Run = task.runs[-1]
    return run.started_at or run.planned_at, task.number


def held_behind(session: Session, task: Task) -> Task | None:
    """The task whose merge it waits for, as long as that may still come by itself and does not wait for this one."""
    if task.behind is None or session.mending == task.number:
        return None
    other = session.tasks[task.behind]
    is_to_come = other.state in _UNMERGED or other.state is TaskState.PLANNED
    return other if is_to_come and not leads_nowhere(session, other, task) else None


def leads_nowhere(session: Session, other: Task, task: Task) -> bool:
    """Whether waiting for the other would be waiting for oneself, or for what only a person can go on with."""
    ahead, seen = [other.number], {other.number}
    while ahead:
        for number in _needs(session, session.tasks[ahead.pop()]):
            if number == task.number or session.tasks[number].state in _GIVEN_UP:
                return True
            if number not in seen:
                seen.add(number)
                ahead.append(number)
    return False


def _needs(session: Session, task: Task) -> Iterator[int]:
    """What has to get on before the task can be merged."""
    if task.state in MERGED:
        return
    yield from task.depends_on
    if task.behind is not None:
        yield task.behind
    if task.resolution is not None:
        yield task.resolution
    if session.mending is not None and task.state is TaskState.ACCEPTED:
        yield session.mending  # all other merges wait for it
