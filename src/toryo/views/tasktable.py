"""The tasks of a session, one line each, for a screen that stays open."""

from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.views.collisions import collisions_words
from toryo.views.columns import clipped
from toryo.views.taskgroups import grouped, summary_line
from toryo.views.words import state_words

HEADS = ("  TASK", "STATE", "AGENT", "TOOK", "TITLE")
_MARKS = {
    TaskState.RUNNING: "▶",
    TaskState.CHECKING: "▷",
    TaskState.BLOCKED: "!",
    TaskState.ACCEPTED: "✓",
    TaskState.INTEGRATED: "✓",
    TaskState.SKIPPED: "✓",
}
_LONGEST_STATE, _LONGEST_TITLE = 40, 200


def task_cells(session: Session, task: Task, now: float) -> tuple[str, ...]:
    mark = "?" if task.number in session.waiting else _MARKS.get(task.state, " ")
    agent = task.run.agent if task.run else task.plan.agent
    collides = collisions_words(session, task)
    title = task.plan.title + (f" — will collide {collides}" if collides else "")
    return (
        f"{mark} {task.plan.key}",
        clipped(mask(state_words(session, task)), _LONGEST_STATE),
        agent,
        _took(task, now),
        clipped(mask(title), _LONGEST_TITLE),
    )


def tasks_line(session: Session) -> str:
    """How many there are of each kind, and how the session stands."""
    why = f" ({' '.join(mask(session.pause_reason).split())})" if session.pause_reason else ""
    return f"{session.state}{why} · {summary_line(grouped(session.tasks.values()))}"


def _took(task: Task, now: float) -> str:
    """Of all its runs together, also of one that is at work."""
    spans = [(run.ended_at or now) - run.started_at for run in task.runs if run.started_at]
    return say_duration(max(sum(spans), 0.001)) if spans else "-"
