"""What will collide in a session, as it was seen just now."""

from typing import Any

from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.rules.masking import mask
from toryo.rules.numerals import several
from toryo.views.collisions import MERGED_WORK

_ON_ONE_LINE = 3


@fact
class Ahead:
    """One collision; a side that is None is the merged work, or the branch that is landed on."""

    task: int | None
    other: int | None
    files: tuple[str, ...]
    is_landing: bool = False
    """Its other side is the branch that the session began from, as that is now."""


@fact
class Outlook:
    session: Session
    ahead: tuple[Ahead, ...]
    looked_at: tuple[int, ...]
    unseen: tuple[int, ...]


def outlook_lines(outlook: Outlook) -> list[str]:
    """One line for each collision, and one for each file where they are many."""
    lines = []
    for found in outlook.ahead:
        what = _words(outlook.session, found)
        if len(found.files) <= _ON_ONE_LINE:
            lines.append(f"{what} in {', '.join(found.files)}")
        else:
            lines += [f"{what} in {len(found.files)} files:", *(f"  {path}" for path in found.files)]
    return lines


def _words(session: Session, found: Ahead) -> str:
    merged = f"{MERGED_WORK} ({session.branch})"
    one = merged if found.task is None else _name(session, found.task)
    if found.is_landing:
        return f"{one} will collide with {session.base_branch} as it is now"
    return f"{one} will collide with {merged if found.other is None else _name(session, found.other)}"


def _name(session: Session, number: int) -> str:
    task = session.tasks[number]
    return f"{task.plan.key} ({task.plan.title})"


def calm_words(outlook: Outlook) -> str:
    """Where nothing will collide, what that rests on."""
    session, count = outlook.session, len(outlook.looked_at)
    if not count and session.tip == session.base_commit:
        return f"session {session.short}: nothing has been done yet that could collide"
    if not count:
        return (
            f"session {session.short}: no task is at work; the merged work does not collide with {session.base_branch}"
        )
    tasks = several(count, "task")
    return f"session {session.short}: no collisions ahead between {tasks} and the merged work"


def outlook_data(outlook: Outlook) -> dict[str, Any]:
    session = outlook.session
    return {
        "session": session.id,
        "conflicts": [
            {
                "task": _task(session, found.task),
                "with": _task(session, found.other),
                "against": _against(found),
                "files": list(found.files),
            }
            for found in outlook.ahead
        ],
        "looked_at": [session.tasks[number].plan.key for number in outlook.looked_at],
        "unseen": [session.tasks[number].plan.key for number in outlook.unseen],
    }


def _against(found: Ahead) -> str:
    if found.is_landing:
        return "base"
    return "merged" if found.other is None else "task"


def _task(session: Session, number: int | None) -> dict[str, Any] | None:
    if number is None:
        return None
    task = session.tasks[number]
    return {"id": task.id, "key": task.plan.key, "title": mask(task.plan.title), "branch": task.plan.branch}
