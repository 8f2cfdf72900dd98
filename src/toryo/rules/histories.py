"""How one effort at an intent went, told from its session's journal."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from toryo.domain.calls import CallRecord
from toryo.domain.event import Event
from toryo.domain.intent import Intent, IntentStatus
from toryo.domain.learning import History, HistoryOutcome, Observation, StepResult
from toryo.domain.planning import Document
from toryo.domain.report import Usage
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules.flows import ANALYSE, FILE, IMPLEMENT, INVESTIGATE, JUDGE, PLAN, REVIEW, SPECIFY, TASKS, type_of
from toryo.rules.masking import mask
from toryo.rules.numerals import several

_ASKED = {
    "intent": ANALYSE,
    "questions": ANALYSE,
    "specify": SPECIFY,
    "plan": PLAN,
    "compact": PLAN,
    "tasks": TASKS,
    "score": TASKS,
    "review": REVIEW,
    "reconsider": REVIEW,
    "judge": JUDGE,
}
"""The step that each question to a model belongs to."""
_ORDER = (ANALYSE, SPECIFY, PLAN, TASKS, IMPLEMENT, INVESTIGATE, REVIEW, JUDGE, FILE)
_OUTCOMES = {IntentStatus.DONE: HistoryOutcome.SUCCESS, IntentStatus.BLOCKED: HistoryOutcome.ESCALATED}
"""Where some of it is good the rest is left to a person; else it failed."""
_LONGEST_REASON = 2000


def history_name(intent: Intent, session: Session) -> str:
    return f"{intent.slug}-{session.short}"


def history_of(
    intent: Intent, session: Session, events: Iterable[Event], observations: Iterable[Observation]
) -> History:
    pursuit = session.pursuit
    flow = pursuit.flow if pursuit else None
    analysis = pursuit.analysis if pursuit else None
    used = session.usage + session.call_usage
    outcome = _OUTCOMES.get(intent.status, HistoryOutcome.FAILED)
    noted = [one.id for one in observations if _is_of(one, intent, session)]
    return History(
        intent_id=intent.slug,
        session=session.id,
        title=mask(intent.title),
        outcome=outcome,
        intent_type=intent.type or (type_of(pursuit) if pursuit else ""),
        intent_risk=intent.risk or (analysis.risk if analysis else None),
        flow=flow.steps if flow else (),
        adjustments=flow.adjustments if flow else (),
        step_results=tuple(_steps(session, list(events))),
        failure_reason="" if outcome is HistoryOutcome.SUCCESS else _reason(intent, session),
        observations=tuple(dict.fromkeys(noted)),
        tokens=used.tokens,
        usd=used.usd,
        created_at=session.updated_at,
    )


def _is_of(one: Observation, intent: Intent, session: Session) -> bool:
    # To the second, as the file has it.
    return one.intent_id == intent.slug and one.created_at >= int(session.opened_at)


def _reason(intent: Intent, session: Session) -> str:
    """As the intent itself says, else as its tasks and its session do."""
    said = [intent.reason, *(f"{one.task}: {one.says}" for one in intent.feedback)]
    if not any(said):
        stuck = [task for task in session.tasks.values() if task.state is TaskState.BLOCKED]
        said = [f"{task.plan.key}: {task.reason or task.block_reason}" for task in stuck]
    words = "; ".join(" ".join(part.split()) for part in (said or [session.pause_reason]) if part)
    masked = mask(words)
    return masked if len(masked) <= _LONGEST_REASON else masked[: _LONGEST_REASON - 1] + "…"


# ── steps ────────────────────────────────────────────────────────────────────


def _steps(session: Session, events: Sequence[Event]) -> Iterator[StepResult]:
    """In the order of the flow, each for the whole or for one task."""
    by_model = sorted(_asked(events), key=_place)
    found = [_answered(session, step, number, calls) for (step, number), calls in _grouped(by_model)]
    found += [_done(task) for task in session.tasks.values() if task.runs]
    if session.pursuit and session.pursuit.filed is not None:
        found.append(StepResult(FILE, several(len(session.pursuit.filed), "intent")))
    yield from sorted(found, key=lambda one: _ORDER.index(one.step))


Spent = tuple[str, int, CallRecord]
"""The step, the number of the task or 0, and the call."""


def _asked(events: Sequence[Event]) -> Iterator[Spent]:
    for event in events:
        calls: tuple[CallRecord, ...] = getattr(event, "calls", ())
        for call in calls:
            if step := _ASKED.get(call.question):
                yield step, getattr(event, "task", 0) if step == REVIEW else 0, call


def _place(spent: Spent) -> tuple[str, int]:
    return spent[0], spent[1]


def _grouped(spent: Sequence[Spent]) -> Iterator[tuple[tuple[str, int], list[CallRecord]]]:
    for key, group in groupby(spent, key=_place):
        yield key, [call for _, _, call in group]


def _answered(session: Session, step: str, number: int, calls: Sequence[CallRecord]) -> StepResult:
    task = session.tasks.get(number)
    usage = sum((call.usage for call in calls), Usage())
    seconds = round(sum(call.seconds for call in calls), 3)
    return StepResult(
        step, _result(session, step, task), seconds, task.plan.key if task else "", usage.tokens, usage.usd
    )


def _result(session: Session, step: str, task: Task | None) -> str:
    analysis = session.pursuit.analysis if session.pursuit else None
    if step == ANALYSE and analysis:
        return f"{analysis.end}, risk {analysis.risk}"
    if step in (SPECIFY, PLAN):
        document = Document.SPEC if step == SPECIFY else Document.PLAN
        is_written = session.planning is not None and document in dict(session.planning.documents)
        return "written" if is_written else "not written"
    if step == TASKS:
        return several(len(session.tasks), "task")
    if step == REVIEW and task:
        reviews = [run.review for run in task.runs if run.review]
        return str(reviews[-1].opinion) if reviews else "none"
    if step == JUDGE and session.judgement:
        return "complete" if session.judgement.is_complete else "something is missing"
    return "no reply"


def _done(task: Task) -> StepResult:
    """All runs of a task together."""
    usage = sum((run.report.usage for run in task.runs if run.report), Usage())
    spans = [run.ended_at - run.started_at for run in task.runs if run.ended_at and run.started_at]
    step = INVESTIGATE if task.plan.type.is_read_only else IMPLEMENT
    runs = f", {len(task.runs)} runs" if len(task.runs) > 1 else ""
    why = f" ({task.block_reason})" if task.state is TaskState.BLOCKED and task.block_reason else ""
    seconds = round(max(0.0, sum(spans)), 3)
    return StepResult(step, f"{task.state}{why}{runs}", seconds, task.plan.key, usage.tokens, usage.usd)
