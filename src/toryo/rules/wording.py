"""Prompts from templates, and texts of a session as a model gets to read them."""

import re
from collections.abc import Mapping

from toryo.domain.evidence import CheckResult
from toryo.domain.plan import Check, PlannedTask
from toryo.domain.planning import Draft, Planning
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.findings import say_failure

_PLACE = re.compile(r"\{\{([a-z_]+)\}\}")
_FENCES = re.compile("<{3,}|>{3,}")


def places(template: str) -> tuple[str, ...]:
    """The names that a template leaves open."""
    return tuple(dict.fromkeys(_PLACE.findall(template)))


def fill(template: str, **values: str) -> str:
    """The template with its places filled, once: what a value says is not filled in turn, nor can it end a quotation.

    A place that is empty leaves no gap of blank lines.
    """
    text = _PLACE.sub(lambda found: _fenceless(values.get(found[1], "")), template)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _fenceless(value: str) -> str:
    return _FENCES.sub(lambda found: "\u200b".join(found[0]), value).strip("\n")


def bullets(lines: tuple[str, ...] | list[str], otherwise: str = "(none)") -> str:
    return "\n".join(f"- {line}" for line in lines) or otherwise


def answers_text(planning: Planning) -> str:
    """What a person decided, and what holds by default."""
    return bullets([f"{answer.question} → {answer.text}" for answer in planning.answers], "(nothing was asked)")


def rejections_text(planning: Planning) -> str:
    if not planning.rejections:
        return ""
    return "# Earlier plans were rejected\n\nThe person said:\n\n" + bullets(planning.rejections)


def about_tests(checks: tuple[Check, ...]) -> str:
    if checks:
        commands = ", ".join(f"`{check.command}`" for check in checks)
        return f"Toryo itself runs {commands} on the result of every task: each task must leave that passing."
    return "No way to run tests was found here: make setting one up the first task, unless that makes no sense."


def documents_text(documents: Mapping[str, str]) -> str:
    """Files that a question is about, quoted, under their names."""
    return "\n".join(fill(f"# {name}\n\n<<<\n{{{{text}}}}\n>>>", text=text) for name, text in documents.items())


def tasks_text(tasks: tuple[PlannedTask, ...]) -> str:
    return "\n\n".join(task_text(task) for task in tasks)


def task_text(task: PlannedTask, state: str = "") -> str:
    after = f" (after {', '.join(task.depends_on)})" if task.depends_on else ""
    parts = [f"## {task.key}{f', {state}' if state else ''}: {task.title}{after}", task.description.strip()]
    parts += ["Acceptance:\n" + bullets(task.acceptance)] if task.acceptance else []
    parts += ["May change: " + ", ".join(f"`{glob}`" for glob in task.scope)] if task.scope else []
    return "\n\n".join(part for part in parts if part)


def criteria_text(task: PlannedTask) -> str:
    return criteria_lines(task.acceptance)


def criteria_lines(acceptance: tuple[str, ...]) -> str:
    """Numbered, so that each can be spoken of."""
    listed = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(acceptance, 1)]
    return "\n".join(listed) or "(none are written down: leave `criteria` empty)"


def states_text(session: Session) -> str:
    """Every task with its state, in short."""
    lines = []
    for task in session.tasks.values():
        why = f" ({task.reason})" if task.reason else ""
        lines.append(f"{task.plan.key}, {task.state}: {task.plan.title}{why}")
    return bullets(lines)


def checks_text(results: tuple[CheckResult, ...]) -> str:
    lines = [f"{result.name}: passed" if result.status == "passed" else say_failure(result) for result in results]
    return bullets(lines, "(there are no checks)")


def trouble_text(task: Task, most: int = 6000) -> str:
    parts = [f"Blocked: {task.block_reason}. {task.reason}", task.feedback]
    run = task.run
    if run and run.report and run.report.last_words:
        parts.append(f"The agent's last words: {run.report.last_words}")
    return "\n\n".join(part for part in parts if part)[:most]


def draft_text(draft: Draft) -> str:
    at_once = f"At most {draft.parallel} at once.\n\n" if draft.parallel else ""
    return at_once + tasks_text(draft.tasks)
