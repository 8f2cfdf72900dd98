"""The parts of a report that only sessions have which began with an instruction, or were reviewed."""

from collections.abc import Iterator, Sequence

from toryo.domain.planning import Answer, Planning
from toryo.domain.review import Opinion, Response, Review
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.views.criteria import PERSON
from toryo.views.markdown import line, listed

_LONGEST_INSTRUCTION = 4000


def planning_parts(session: Session) -> Iterator[str]:
    """What was asked for, what was decided, and how good the plan was."""
    planning = session.planning
    if planning is None:
        return
    source = f"From {line(planning.source)}:\n\n" if planning.source else ""
    yield f"## What was asked for\n\n{source}{_quoted(planning.instruction)}"
    if planning.wishes:
        yield "Added later:\n\n" + "\n\n".join(_quoted(wish) for wish in planning.wishes)
    yield listed("Decisions", _decisions(planning))
    yield listed("The plan", _plan(planning))


def _decisions(planning: Planning) -> list[str]:
    made = [f"{line(a.question)} → **{line(a.text)}**{_by(a)}" for a in planning.answers]
    return made + [f"{line(question.text)} → not answered yet" for question in planning.open_questions]


def _by(answer: Answer) -> str:
    if answer.by.startswith("-"):
        return f" (by default, {answer.by})"
    return f" ({answer.by})" if answer.by else ""


def _plan(planning: Planning) -> list[str]:
    lines = []
    if planning.best_score:
        drafts = f", the best of {len(planning.scores)} drafts" if len(planning.scores) > 1 else ""
        lines.append(f"scored {planning.best_score.points} of 100{drafts}")
        lines += [f"found in it: {line(issue)}" for issue in planning.best_score.issues]
    lines += [line(remark) for remark in planning.best.remarks] if planning.best else []
    lines += [f"an earlier plan was rejected: {line(why)}" for why in planning.rejections]
    return [*lines, f"documents: `specs/{planning.spec}/`"]


def work_parts(session: Session) -> Iterator[str]:
    """What reviews said, what was planned anew, and what people said meanwhile."""
    reviews = [part for task in session.tasks.values() if (part := _review(task))]
    if quiet := [task.plan.key for task in session.tasks.values() if _is_quiet(_last_review(task))]:
        reviews.append(f"Approved without a remark: {', '.join(quiet)}.")
    if reviews:
        yield "## Reviews\n\n" + "\n\n".join(reviews)
    replaced = [task for task in session.tasks.values() if task.state is TaskState.REPLACED]
    yield listed("Tasks that were replaced", [_replaced(session, task) for task in replaced])
    yield listed("What people said on the way", list(_sayings(session)))


def _last_review(task: Task) -> Review | None:
    """The last opinion about the task, whichever run it was about."""
    return next((run.review for run in reversed(task.runs) if run.review), None)


def _is_quiet(review: Review | None) -> bool:
    return review is not None and review.opinion is Opinion.APPROVED and review.by != PERSON and not _lines_of(review)


def _review(task: Task) -> str:
    review = _last_review(task)
    if review is None or _is_quiet(review):
        return ""
    lines = _lines_of(review)
    head = f"**{task.plan.key}** {review.opinion}" + (f": {line(review.reason)}" if review.reason else "")
    return head + ("\n\n" + "\n".join(f"- {line}" for line in lines) if lines else "")


def _lines_of(review: Review) -> list[str]:
    return [
        *(f"not met: {line(text)}" for text in review.missing),
        *(line(text) for text in review.issues),
        *(f"suggestion: {line(text)}" for text in review.suggestions),
    ]


def _replaced(session: Session, task: Task) -> str:
    instead = _keys(session, task.replaced_by)
    why = f": {line(task.reconsidered)}" if task.reconsidered else ""
    return f"{task.plan.key} {line(task.plan.title)}, by {instead}{why}"


def _sayings(session: Session) -> Iterator[str]:
    for place, said in enumerate(session.sayings):
        response = session.responses[place] if place < len(session.responses) else None
        yield f"“{line(said)}” → {_came_of(session, response) if response else 'not looked into yet'}"


def _came_of(session: Session, response: Response) -> str:
    deeds = {"changed": response.changed, "dropped": response.cancelled, "added": response.added}
    done = [f"{what} {_keys(session, numbers)}" for what, numbers in deeds.items() if numbers]
    return line(response.answer) + (f" ({'; '.join(done)})" if done else "")


def _keys(session: Session, numbers: Sequence[int]) -> str:
    return ", ".join(session.tasks[number].plan.key for number in numbers) or "nothing"


def judgement_part(session: Session) -> str:
    """Whether the whole is what was asked for."""
    said = session.judgement
    if said is None or session.judged_commit != session.tip:
        return ""
    points = f" ({said.score} of 100)" if said.score else ""
    head = f"The work was judged complete{points}." if said.is_complete else f"The work was judged incomplete{points}."
    lines = [f"missing: {line(text)}" for text in said.missing]
    lines += [f"could follow: {line(text)}" for text in said.suggestions]
    return "## Is this what was asked for?\n\n" + "\n".join(
        [head, *([""] if lines else []), *(f"- {x}" for x in lines)]
    )


def _quoted(text: str) -> str:
    shown = text if len(text) <= _LONGEST_INSTRUCTION else text[:_LONGEST_INSTRUCTION].rstrip() + "\n…"
    return "\n".join(f"> {line}".rstrip() for line in shown.splitlines())
