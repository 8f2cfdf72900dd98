"""What whoever settles a conflict has to know: what both sides were to do, and what has to hold of each."""

from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState

_MARKERS = """\
In each conflicting place
- between `<<<<<<<` and `|||||||` stands what is merged already,
- between `|||||||` and `=======` what both sides began from,
- between `=======` and `>>>>>>>` what the task made of it."""
_LONGEST = 2000
"""Of what one of the merged tasks was to do."""
_MOST_TASKS = 12


def conflict_description(session: Session, task: Task, files: tuple[str, ...]) -> str:
    """What the agent that settles a conflict is told: both sides, neither of them its own."""
    others = merged_sides(session, task, files)
    listed = "\n".join(f"- `{path}`{_changed_by(others, path)}" for path in files)
    sides = [
        f"### {other.plan.key} {other.plan.title} (merged already)\n\n{_intent(other, _LONGEST)}" for other in others
    ]
    return (
        f"The work of task {task.plan.key} ({task.plan.title}) conflicts with work that is merged already. "
        "A merge of both is under way in this folder.\n\n"
        f"Conflicting files:\n{listed}\n\n{_MARKERS}\n\n"
        "Bring both sides together so that the intention of each is kept, remove every marker, and do not "
        "undo the merge. You wrote neither side: favour none.\n\n"
        "## What both sides were to do\n\n"
        + "\n\n".join([*sides, f"### {task.plan.key} {task.plan.title} (being merged)\n\n{_intent(task)}"])
    )


def conflict_acceptance(session: Session, task: Task, files: tuple[str, ...]) -> tuple[str, ...]:
    """What has to hold of the result: what was to hold of either side."""
    others = merged_sides(session, task, files)
    return tuple(dict.fromkeys(text for side in (task, *others) for text in side.plan.acceptance))


def merged_sides(session: Session, task: Task, files: tuple[str, ...]) -> list[Task]:
    """The merged tasks that changed any of the files, latest first, as far as that is of use."""
    wanted = set(files)
    merged = [other for other in session.tasks.values() if other.state is TaskState.INTEGRATED and other is not task]
    # A conflict settled before is its task's work by now, and that one is listed itself.
    touched = [other for other in merged if other.resolves is None and wanted & _paths(other)]
    return touched[-_MOST_TASKS:][::-1]


def _paths(task: Task) -> set[str]:
    seen = next((run.observation for run in reversed(task.runs) if run.observation), None)
    return {change.path for change in seen.changes} if seen else set()


def _changed_by(others: list[Task], path: str) -> str:
    keys = [other.plan.key for other in others if path in _paths(other)]
    return f" (also changed by {', '.join(keys)})" if keys else ""


def _intent(task: Task, longest: int | None = None) -> str:
    text = task.plan.description.strip() or task.plan.title
    if longest is not None and len(text) > longest:
        text = f"{text[:longest].rstrip()} …"
    criteria = "\n".join(f"- {criterion}" for criterion in task.plan.acceptance)
    return f"{text}\n\nIt was accepted by these criteria:\n{criteria}" if criteria else text
