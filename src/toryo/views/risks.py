"""What could be wrong with a session's result though its checks pass: for whoever takes it over."""

from collections.abc import Iterator

from toryo.domain.planning import Planning
from toryo.domain.review import Opinion
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason
from toryo.rules.bisecting import Nobody, find_culprit
from toryo.rules.cleanliness import open_protected, permission_words
from toryo.rules.findings import guessed
from toryo.rules.planning import THRESHOLD
from toryo.views.criteria import GONE, PERSON

_MOST = 40
_SAID_ELSEWHERE = tuple(
    map(str, (BlockReason.REVIEW, BlockReason.NO_REVIEW, BlockReason.HYGIENE, BlockReason.PROTECTED))
)
"""What was let through is said by the review, or by the permission."""


def risks_of(session: Session) -> list[str]:
    """One line each, the gravest first."""
    tasks = [task for task in session.tasks.values() if task.state not in GONE]
    first = (line for task in tasks for line in _let_through(task))
    lines = [
        *first,
        *_of_the_whole(session),
        *_of_planning(session),
        *(line for task in tasks for line in _of_task(task)),
    ]
    more = [f"… and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    return [*lines[:_MOST], *more]


def _of_the_whole(session: Session) -> Iterator[str]:
    found = find_culprit(session)
    if isinstance(found, Nobody):
        yield f"the checks do not pass on the integrated branch: {found.why}"
    for name in session.flaky:
        yield f"check '{name}' is flaky: on the same files of the integrated branch it passed and failed"


def _of_planning(session: Session) -> Iterator[str]:
    planning = session.planning
    if planning is None:
        return
    if session.judgement and session.judged_commit == session.tip and not session.judgement.is_complete:
        yield "the work was judged not to be all that was asked for"
    if planning.best and planning.best.is_fallback:
        yield "no usable plan came from the model: everything was one task"
    if planning.best_score and planning.best_score.points < THRESHOLD:
        yield f"the plan scored {planning.best_score.points} of 100, which is below {THRESHOLD}"
    if planning.is_surveyed and session.tasks and not session.checks:
        yield "nothing here runs tests: no check stands behind the result"
    yield from _taken_by_default(planning)


def _taken_by_default(planning: Planning) -> Iterator[str]:
    unseen = [answer for answer in planning.answers if answer.by.startswith("-")]
    if unseen:
        count = "a decision" if len(unseen) == 1 else f"{len(unseen)} decisions"
        yield f"nobody looked at {count}: taken by default ({unseen[0].by})"


def _let_through(task: Task) -> Iterator[str]:
    """What waits for a person because of where it is, or was let through by one."""
    key, run = task.plan.key, task.run
    if run and (waiting := open_protected(task, run.observation)):
        yield f"{key}: changes protected files: {', '.join(waiting[:5])}"
    for permission in task.permissions:
        yield f"{key}: {permission_words(permission)}"
    for allowance in task.plan.allow:
        where = ", ".join(allowance.paths) or "all its files"
        yield f"{key}: the plan allows {allowance.rule} in {where} ({allowance.reason})"


def _of_task(task: Task) -> Iterator[str]:
    run = task.run
    if run is None:
        return
    key = task.plan.key
    warned = run.verdict.reasons if run.verdict else ()
    lines = [reason for reason in warned if reason.startswith("warning:")]
    for line in dict.fromkeys([*lines, *guessed(run)]):
        yield f"{key}: {line.removeprefix('warning:').strip()}"
    if run.review and run.review.opinion is Opinion.NONE:
        yield f"{key}: no review could be had: {run.review.reason}"
    if run.review and run.review.by == PERSON and run.review.opinion is Opinion.APPROVED:
        yield f"{key}: {run.review.by} approved it in place of the review"
    yield from (f"{key}: {approval}" for approval in task.approvals if not approval.startswith(_SAID_ELSEWHERE))
    wrong = sum(len(criterion.unseen) for criterion in run.review.criteria) if run.review else 0
    if wrong:
        yield f"{key}: its review cites what is not there" + (f" ({wrong} times)" if wrong > 1 else "")
