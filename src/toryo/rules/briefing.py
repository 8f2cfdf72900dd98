"""What an agent is told: the task, how it will be proven, and what went wrong last time."""

from toryo.domain.plan import TaskType
from toryo.domain.session import Session
from toryo.domain.task import Task

_COMMIT_KINDS = {
    TaskType.IMPLEMENTATION: "feat",
    TaskType.DOCUMENTATION: "docs",
    TaskType.INVESTIGATION: "chore",
    TaskType.INTEGRATION: "fix",
}


def brief(task: Task) -> str:
    """The prompt of the task's next run, in Markdown."""
    plan = task.plan
    parts = [f"# {plan.title}"]
    if plan.description.strip():
        parts.append(plan.description.strip())
    parts.append(_section("Acceptance criteria", plan.acceptance))
    parts.append(_section("Only change files matching", [f"`{glob}`" for glob in plan.scope]))
    parts.append(_section("These files must exist when you are done", [f"`{path}`" for path in plan.expect]))
    parts.append(_section("Checks that will be run on your work", [f"`{c.command}`" for c in plan.checks]))
    parts.append(_how_to_finish(task))
    if task.feedback:
        parts.append(f"## What was wrong with the previous attempt\n\n{task.feedback}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _how_to_finish(task: Task) -> str:
    if task.plan.type is TaskType.INVESTIGATION:
        return "## How to finish\n\nDo not change any file. Print your result, then exit."
    return (
        "## How to finish\n\n"
        "Work only in the current folder. Leave your changes in the working tree or commit them, then exit. "
        "Do not ask questions: nobody is there to answer. Whether the work is done is decided from the files "
        "and the checks, not from what you report."
    )


def _section(heading: str, lines: list[str] | tuple[str, ...]) -> str:
    return f"## {heading}\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def commit_message(task: Task) -> str:
    """Conventional Commits, by type of task."""
    subject = " ".join(task.plan.title.split())
    trailer = f"Toryo-Task: {task.id}"
    return f"{_COMMIT_KINDS[task.plan.type]}: {subject}\n\n{trailer}\n"


def merge_message(session: Session, task: Task) -> str:
    subject = " ".join(task.plan.title.split())
    return f"Merge {task.plan.key}: {subject}\n\nToryo-Session: {session.id}\nToryo-Task: {task.id}\n"


def conflict_description(task: Task, files: tuple[str, ...]) -> str:
    """What the agent that settles a conflict is told."""
    listed = "\n".join(f"- `{path}`" for path in files)
    return (
        f"The work of task {task.plan.key} ({task.plan.title}) conflicts with work that is merged already. "
        "A merge of both is under way in this folder: the conflicting places carry the usual markers.\n\n"
        f"Conflicting files:\n{listed}\n\n"
        "Bring both sides together so that the intention of each is kept, remove every marker, and do not "
        "undo the merge.\n\n"
        f"What the task was to do:\n\n{task.plan.description.strip() or task.plan.title}"
    )
