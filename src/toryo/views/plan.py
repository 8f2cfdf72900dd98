"""A plan as a person reads it before approving: the whole text, in sections, and what to know about it."""

from collections.abc import Iterator

from toryo.domain.planning import Document, Planning, Question
from toryo.domain.session import Session
from toryo.rules.answering import LETTERS
from toryo.rules.masking import mask
from toryo.rules.planning import THRESHOLD
from toryo.views.standing import standing_words, waits_for
from toryo.views.tasklist import tasklist_text


def plan_text(session: Session) -> str:
    """Everything that is approved at once, in Markdown."""
    planning = session.planning
    parts = [_head(session)]
    if planning:
        parts += [_section(f"{kind}.md", planning.document(kind)) for kind in (Document.SPEC, Document.PLAN)]
    new = [task.plan for task in session.tasks.values() if task.number > (planning.kept_tasks if planning else 0)]
    parts.append(_section("tasks.md", tasklist_text(session.title, new)) if new else "")
    return mask("\n".join(part for part in parts if part))


def _head(session: Session) -> str:
    return "\n".join([f"# {session.title}", "", *(f"- {line}" for line in plan_notes(session)), ""])


def plan_notes(session: Session) -> Iterator[str]:
    """What to know about a plan before approving it."""
    planning = session.planning
    kept = planning.kept_tasks if planning else 0
    new = sum(number > kept for number in session.tasks)
    if not new:
        yield f"no plan yet: {standing_words(session.state, waits_for(session), session.queued_at)}"
    else:
        yield from _notes_on_tasks(session, new)
    if planning:
        yield from _notes_on_planning(planning)


def _notes_on_tasks(session: Session, new: int) -> Iterator[str]:
    yield f"{new} task{'s' if new != 1 else ''}, at most {session.parallel} at once, on {session.branch}"
    checks = ", ".join(f"{check.name}: `{check.command}`" for check in session.checks)
    yield f"checks that Toryo runs on every result: {checks}" if checks else "no checks: nothing here runs tests"


def _notes_on_planning(planning: Planning) -> Iterator[str]:
    yield from planning.findings
    if planning.best_score:
        points = planning.best_score.points
        doubt = f", which is below {THRESHOLD}: look at it closely" if points < THRESHOLD else ""
        yield f"the plan scored {points} of 100{doubt}"
        yield from (f"found in it: {issue}" for issue in planning.best_score.issues[:10])
    yield from planning.best.remarks if planning.best else ()
    yield f"documents: specs/{planning.spec}/"


def _section(name: str, text: str) -> str:
    line = "─" * max(1, 76 - len(name))
    return f"── {name} {line}\n\n{text.strip()}\n" if text.strip() else ""


def how_to_answer(short: str, questions: tuple[Question, ...]) -> str:
    """The command that answers these questions."""
    if len(questions) == 1:
        words = "b" if len(questions[0].options) > 1 else "your answer"
    else:
        words = "1b 2a" if any(question.options for question in questions) else "1: your answer"
    if not all(question.default for question in questions):
        return f"toryo answer {short} '{words}'"
    return f"toryo answer {short} --defaults, or toryo answer {short} '{words}'"


def question_lines(questions: tuple[Question, ...]) -> Iterator[str]:
    """A batch of questions with their options, numbered."""
    for number, question in enumerate(questions, 1):
        yield f"{number}. {mask(question.text)}"
        if question.why:
            yield f"   {mask(question.why)}"
        for letter, option in zip(LETTERS, question.options, strict=False):
            default = "  (default)" if option == question.default else ""
            yield f"   {letter}) {mask(option)}{default}"
