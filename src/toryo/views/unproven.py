"""What nothing stands behind: the other half of a report on what holds."""

from collections.abc import Iterator

from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import OnFailure
from toryo.domain.session import Session
from toryo.domain.task import SETTLED, Task, TaskState
from toryo.domain.verdict import Outcome
from toryo.rules.kinds import is_documentation_only, is_unchecked
from toryo.rules.limits import say_violation
from toryo.rules.wholeness import checks_of_the_whole, is_proven
from toryo.views.criteria import GONE, Judged, Standing, criteria_of
from toryo.views.markdown import line
from toryo.views.words import proof_words, state_words

_MOST = 40
_LONGEST_CLAIM = 160


def unproven_lines(session: Session) -> list[str]:
    """One line each, in Markdown: what is missing first, then what was taken without proof."""
    tasks = [task for task in session.tasks.values() if task.state not in GONE]
    lines = [
        *_unfinished(session),
        *_criteria(criteria_of(session)),
        *_of_the_whole(session),
        *_without_check(tasks),
        *_warned(session, tasks),
        *_let_through(tasks),
        *_by_default(session),
        *(one for task in tasks for one in _claims(task)),
        *(
            f"{task.plan.key}: {line(remark)}"
            for task in tasks
            if (run := task.run) and run.review
            for remark in run.review.remarks
        ),
    ]
    more = [f"… and {len(lines) - _MOST} more: `toryo info` shows them task by task"] if len(lines) > _MOST else []
    return [*lines[:_MOST], *more]


def _unfinished(session: Session) -> Iterator[str]:
    for task in session.tasks.values():
        key, title = task.plan.key, line(task.plan.title, 80)
        if task.state is TaskState.CANCELLED:
            yield f"{key} {title}: cancelled"
        elif task.state not in SETTLED and task.state is not TaskState.ACCEPTED:
            reason = f": {line(task.reason, 160)}" if task.reason and task.state is TaskState.BLOCKED else ""
            yield f"{key} {title}: {line(state_words(session, task))}{reason}"


def _criteria(judged: list[Judged]) -> Iterator[str]:
    """Those that share a reason share a line."""
    together: dict[tuple[str, str], list[Judged]] = {}
    for one in judged:
        if one.status is Standing.REFUTED:
            yield f"{one.task}, “{line(one.criterion, 160)}”: {line(one.why, 240)}"
        elif one.status is Standing.NOT_PROVEN and not one.why.startswith("its task is not done"):
            together.setdefault((one.task, one.why), []).append(one)
    for (task, why), some in together.items():
        what = f"“{line(some[0].criterion, 160)}”" if len(some) == 1 else f"{len(some)} criteria"
        yield f"{task}, {what}: {line(why, 240)}"


def _of_the_whole(session: Session) -> Iterator[str]:
    if session.tip != session.base_commit and not (checks_of_the_whole(session) and is_proven(session)):
        yield f"the result as a whole: {line(proof_words(session))}"
    if session.terms.judges and session.tip != session.base_commit and session.judged_commit != session.tip:
        yield "whether the whole is what was asked for: it was not judged"
    landing = session.landing
    if landing and landing.is_over and landing.commit and not landing.before:
        merged = f"what {landing.target} holds since {landing.commit[:12]}"
        yield f"{merged}: somebody else merged it there, with whatever else it has"


def _without_check(tasks: list[Task]) -> Iterator[str]:
    done = [task for task in tasks if task.outcome is Outcome.COMPLETE]
    unchecked = [task.plan.key for task in done if is_unchecked(task)]
    if unchecked:
        yield f"no check exists for {', '.join(unchecked)}"
    silent = [task.plan.key for task in done if not task.plan.acceptance]
    if silent:
        yield f"no acceptance criteria were written for {', '.join(silent)}"
    texts = [task.plan.key for task in done if is_documentation_only(task, task.run)]
    if texts:
        yield f"documentation, which no check looks at: {', '.join(texts)}"
    read = [task.plan.key for task in done if task.plan.type.is_read_only]
    if read:
        yield f"what {', '.join(read)} found out: it is what the agent wrote, and nobody tested it"


def _warned(session: Session, tasks: list[Task]) -> Iterator[str]:
    failed: dict[str, list[str]] = {}
    harmless = {check.name for check in checks_of_the_whole(session) if check.on_failure is OnFailure.WARN}
    for task in tasks:
        for result in task.run.results if task.run and task.outcome is Outcome.COMPLETE else ():
            if result.status is not CheckStatus.PASSED:
                failed.setdefault(result.name, []).append(task.plan.key)
    for result in session.proof if session.proof_commit == session.tip else ():
        if result.status is not CheckStatus.PASSED and result.name in harmless:
            failed.setdefault(result.name, []).append("the result")
    for name, keys in failed.items():
        yield f"check {line(name)} failed, and only warns: {', '.join(keys)}"


def _let_through(tasks: list[Task]) -> Iterator[str]:
    for task in tasks:
        yield from (f"{task.plan.key}: {line(approval)}" for approval in task.approvals)
        if not task.approvals and task.state is not TaskState.BLOCKED:
            yield from (
                f"{task.plan.key}: {line(say_violation(one))}, and it was sent round again" for one in task.violations
            )


def _by_default(session: Session) -> Iterator[str]:
    answers = session.planning.answers if session.planning else ()
    unseen = [answer for answer in answers if answer.by.startswith("-")]
    if unseen:
        asked = "; ".join(f"“{line(answer.question, 120)}”" for answer in unseen)
        yield f"decided by default, which nobody looked at: {asked}"


def _claims(task: Task) -> Iterator[str]:
    """What an agent says of work that did not hold up."""
    run = task.run
    if run is None or run.report is None or run.verdict is None or run.verdict.outcome is Outcome.COMPLETE:
        return
    if words := run.report.last_words.strip():
        yield f"{task.plan.key}: its agent says “{line(words, _LONGEST_CLAIM)}”, which was not borne out"
