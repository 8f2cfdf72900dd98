"""Collisions that are foreseen, in words and as data."""

from typing import Any

from toryo.domain.collisions import Collision, CollisionsForeseen
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.collisions import collisions_now, collisions_of

_FEW = 3
MERGED_WORK = "merged work"


def collision_lines(session: Session) -> list[str]:
    """One line for each, shortest names first."""
    return [f"{key_of(session, found.task)} will collide {_with(session, found)}" for found in collisions_now(session)]


def collisions_words(session: Session, task: Task) -> str:
    """With whom the task will collide, and where; empty: with nobody, as far as was seen."""
    return "; ".join(_with(session, _seen_from(task, found)) for found in collisions_of(session, task))


def foreseen_words(session: Session | None, event: CollisionsForeseen) -> str:
    """All of it in one line, as the log of a session has it."""
    told = [f"{key_of(session, found.task)} {_with(session, found)}" for found in event.collisions]
    seen = [f"{key_of(session, found.task)} changes {files_words(found.files)} too" for found in event.touched]
    return "; ".join([*([f"will collide: {'; '.join(told)}"] if told else []), *seen]) or "no collisions ahead any more"


def _with(session: Session | None, found: Collision) -> str:
    return f"with {key_of(session, found.other)} in {files_words(found.files)}"


def _seen_from(task: Task, found: Collision) -> Collision:
    return found if found.task == task.number else Collision(task.number, found.task, found.files)


def key_of(session: Session | None, number: int | None) -> str:
    if number is None:
        return MERGED_WORK
    return session.tasks[number].plan.key if session and number in session.tasks else f"task {number}"


def files_words(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - _FEW} more" if len(files) > _FEW else ""
    return ", ".join(files[:_FEW]) + more


def collision_rows(session: Session, task: Task) -> list[dict[str, Any]]:
    """As JSON answers have them: the other's id and key, null for the merged work."""
    rows = []
    for found in collisions_of(session, task):
        other = _seen_from(task, found).other
        with_task = session.tasks[other] if other is not None else None
        rows.append(
            {
                "task": with_task.id if with_task else None,
                "key": with_task.plan.key if with_task else None,
                "files": list(found.files),
            }
        )
    return rows
