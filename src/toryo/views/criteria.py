"""Each acceptance criterion with what shows that it holds, or why nothing does."""

from enum import StrEnum
from typing import Any

from toryo.domain.evidence import CheckStatus
from toryo.domain.facts import fact
from toryo.domain.review import Criterion, Opinion, Review
from toryo.domain.run import Run
from toryo.domain.session import Session
from toryo.domain.task import SATISFIED, Task, TaskState
from toryo.rules.masking import mask
from toryo.views.words import state_words

PERSON = "a person"
"""Who a review is by where no model gave it."""
GONE = (TaskState.REPLACED, TaskState.CANCELLED)
_MOST_FILES = 3


class Standing(StrEnum):
    PROVEN = "proven"
    NOT_PROVEN = "not proven"
    REFUTED = "refuted"


@fact
class Judged:
    """One criterion of one task."""

    task: str
    criterion: str
    status: Standing
    by: tuple[str, ...] = ()
    """What was seen in its favour."""
    why: str = ""
    """Why that is not enough."""


def criteria_of(session: Session) -> list[Judged]:
    """Of every task that still counts, in the order of the plan."""
    tasks = [task for task in session.tasks.values() if task.state not in GONE]
    return [judged for task in tasks for judged in criteria_of_task(session, task)]


def criteria_of_task(session: Session, task: Task) -> list[Judged]:
    return [_judged(session, task, text) for text in task.plan.acceptance]


def criterion_data(judged: Judged) -> dict[str, Any]:
    return {
        "task": judged.task,
        "criterion": mask(judged.criterion),
        "status": judged.status.value,
        "by": [mask(text) for text in judged.by],
        "why": mask(judged.why) or None,
    }


def _judged(session: Session, task: Task, text: str) -> Judged:
    key, run = task.plan.key, task.run
    review = run.review if run else None
    said = next((one for one in review.criteria if one.text == text), None) if review else None
    if review and ((said and not said.is_met) or text in review.missing):
        words = said.evidence if said and said.evidence else review.reason
        return Judged(key, text, Standing.REFUTED, (), f"the review says it is not met: {words}")
    if run is None or task.state not in SATISFIED:
        return Judged(key, text, Standing.NOT_PROVEN, (), f"its task is not done: {state_words(session, task)}")
    by = tuple(_in_favour(task, run, said))
    why = _why_not(run, review, said)
    return Judged(key, text, Standing.NOT_PROVEN if why else Standing.PROVEN, by, why)


def _in_favour(task: Task, run: Run, said: Criterion | None) -> list[str]:
    passed = [result.name for result in run.results if result.status is CheckStatus.PASSED]
    found = [f"check {', '.join(passed)} passed on {task.commit[:8]}"] if passed else []
    found += [f"reviewed: {place}" for place in (said.seen if said else ()) if not place.startswith("check ")]
    paths = [change.path for change in run.observation.changes] if run.observation else []
    more = f" and {len(paths) - _MOST_FILES} more" if len(paths) > _MOST_FILES else ""
    return [*found, *([f"files: {', '.join(paths[:_MOST_FILES])}{more}"] if paths else [])]


def _why_not(run: Run, review: Review | None, said: Criterion | None) -> str:
    """Why what speaks for the criterion is no proof of it; empty: it is one."""
    if review is None:
        has_passed = any(result.status is CheckStatus.PASSED for result in run.results)
        return f"{'checks passed' if has_passed else 'no check ran'}; no review looked at this criterion"
    if review.opinion is Opinion.NONE:
        return "no review could be had"
    if review.by == PERSON:
        return f"a person approved it in place of the review: {review.reason}"
    if said is None:
        return "the review does not speak of it"
    if said.unseen:
        return "the review " + "; ".join(said.unseen)
    return "" if said.seen else "the review cites nothing that can be looked up"
