"""What happened to a task, as the events of its log."""

from collections.abc import Iterable, Iterator
from typing import Any

from toryo.domain import events as e
from toryo.domain.calls import CallRecord
from toryo.domain.facts import fact
from toryo.domain.plan import TaskType
from toryo.domain.report import Report
from toryo.domain.review import Remedy
from toryo.domain.run import EndedBy, Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Disposition, Outcome
from toryo.rules.masking import mask
from toryo.views.columns import clipped
from toryo.views.records import logshapes as shapes
from toryo.views.records.blocking import Block, block_of, content_of
from toryo.views.records.chronicle import Step
from toryo.views.records.enums import LogEventType, TaskLogStatus, VisibilityLevel
from toryo.views.records.plain import masked
from toryo.views.records.statuses import error_reason, log_status, task_status
from toryo.views.records.times import milliseconds, moment

_SHORT = 200
_ALWAYS_SHOWN = frozenset(
    {
        LogEventType.USER_INPUT,
        LogEventType.RUNNER_CLARIFICATION,
        LogEventType.USER_RESPONSE,
        LogEventType.TASK_STARTED,
        LogEventType.TASK_COMPLETED,
        LogEventType.TASK_INCOMPLETE,
        LogEventType.TASK_ERROR,
        LogEventType.EVIDENCE_MISSING,
        LogEventType.EXECUTOR_BLOCKED,
    }
)
"""The rest is for those who want to know everything."""


@fact
class Entry:
    at: float
    type: LogEventType
    content: Any

    @property
    def visibility(self) -> VisibilityLevel:
        return VisibilityLevel.SUMMARY if self.type in _ALWAYS_SHOWN else VisibilityLevel.FULL


def log_event(entry: Entry) -> shapes.LogEvent:
    return {
        "event_type": entry.type,
        "timestamp": moment(entry.at),
        "visibility_level": entry.visibility,
        "content": masked(entry.content),
    }


def entries(session: Session, steps: Iterable[Step]) -> list[Entry]:
    """The whole log of a task, oldest first."""
    found = [entry for step in steps for entry in _of_step(session, step)]
    return sorted(found, key=lambda entry: entry.at)  # stable: what happened at once stays in its order


def _of_step(session: Session, step: Step) -> Iterator[Entry]:
    at, event, task = step.at, step.event, step.after
    if step.before is None:
        yield Entry(at, LogEventType.USER_INPUT, {"text": f"{task.plan.title}\n\n{task.plan.description}".strip()})
        return
    if getattr(event, "task", None) == task.number:
        yield from _of_event(at, event, task)
    yield from _of_move(session, step)


def _of_event(at: float, event: Any, task: Task) -> Iterator[Entry]:
    match event:
        case e.RunPlanned():
            yield Entry(at, LogEventType.TASK_STARTED, _start(task))
        case e.RunStarted():
            dispatch = {"executor": task.runs[-1].agent, "task_summary": clipped(task.plan.title, _SHORT)}
            yield Entry(at, LogEventType.EXECUTOR_DISPATCH, dispatch)
        case e.RunWaited():
            yield Entry(at, LogEventType.RUNNER_CLARIFICATION, {"question": event.question, "options": []})
        case e.RunExited() | e.RunStopped() | e.RunLost():
            yield from _of_end(at, event, task.runs[-1])
        case e.WorkObserved():
            for change in event.observation.changes:
                operation = {"operation": change.change.value, "path": change.path, "exists": change.exists}
                yield Entry(at, LogEventType.FILE_OPERATION, operation)
        case e.CheckFinished():
            yield Entry(at, LogEventType.TEST_EXECUTION, check_run(event.result))
        case e.WorkReviewed():
            yield from _of_calls(at, event.calls, event.review.opinion.value)
        case e.TaskReconsidered():
            yield from _of_calls(at, event.calls, event.remedy.value)
            if event.remedy is Remedy.ASK:
                yield Entry(at, LogEventType.RUNNER_CLARIFICATION, {"question": task.question, "options": []})
        case e.TaskApproved():
            yield Entry(at, LogEventType.USER_RESPONSE, {"response": f"approved: {event.why}".rstrip(": ")})
        case e.TaskRetried() | e.TaskReassigned():
            yield Entry(at, LogEventType.USER_RESPONSE, {"response": event.says or "try it again"})
        case e.TaskIntegrated():
            merged = {"operation": "merged", "path": task.plan.branch, "exists": True}
            yield Entry(at, LogEventType.FILE_OPERATION, merged)
        case e.CulpritParked():
            taken = {"operation": "taken back", "path": task.plan.branch, "exists": True}
            yield Entry(at, LogEventType.FILE_OPERATION, taken)
        case e.VerdictReached() if event.verdict.outcome is Outcome.NO_EVIDENCE:
            seen = task.runs[-1].observation
            files = list(seen.missing) if seen else []
            missing = {"error_message": "; ".join(event.verdict.reasons), "files_missing": files}
            yield Entry(at, LogEventType.EVIDENCE_MISSING, missing)


def _start(task: Task) -> dict[str, str]:
    expected = task.plan.expect
    action = _ACTIONS.get(task.plan.type, "create" if expected else "modify")
    return {"action": action, "target_file": expected[0]} if len(expected) == 1 else {"action": action}


_ACTIONS = {TaskType.INVESTIGATION: "investigate", TaskType.REVIEW: "review", TaskType.INTEGRATION: "merge"}


def check_run(result: Any) -> dict[str, Any]:
    return {
        "name": result.name,
        "status": result.status.value,
        "exit_code": result.code,
        "duration_ms": milliseconds(result.seconds),
    }


def _of_end(at: float, event: Any, run: Run) -> Iterator[Entry]:
    said = {
        "executor": run.agent,
        "exit_code": run.code,
        "output_summary": end_words(run, event.report),
        "raw_output_ref": f"runs/{run.id}/output.log",
    }
    yield Entry(at, LogEventType.EXECUTOR_OUTPUT, said)
    block: Block | None = block_of(run, getattr(event, "evidence", ()), at)
    if block:
        yield Entry(at, LogEventType.EXECUTOR_BLOCKED, content_of(block, run))


def end_words(run: Run, report: Report | None) -> str:
    """How a run ended, in one line."""
    if run.trouble:
        return clipped(run.trouble, _SHORT)
    ended = "stopped" if run.code is None else f"exited with code {run.code}"
    by = f", ended by {run.ended_by}" if run.ended_by not in (None, EndedBy.ITSELF) else ""
    words = clipped(mask(report.last_words or report.message), _SHORT) if report else ""
    return f"{ended}{by}: {words}" if words else f"{ended}{by}"


def _of_calls(at: float, calls: tuple[CallRecord, ...], response: str) -> Iterator[Entry]:
    for call in calls:
        began = min(call.at, at)
        who = {"provider": call.provider, "model": call.model}
        asked = {"prompt_summary": call.question, "tokens_input": call.usage.input_tokens}
        yield Entry(began, LogEventType.LLM_MEDIATION_REQUEST, who | asked)
        said = {
            "response_type": f"none: {call.trouble}" if call.trouble else response,
            "tokens_output": call.usage.output_tokens,
            "latency_ms": milliseconds(call.seconds),
        }
        yield Entry(min(began + call.seconds, at), LogEventType.LLM_MEDIATION_RESPONSE, who | said)


_ENDS = {
    TaskLogStatus.COMPLETE: LogEventType.TASK_COMPLETED,
    TaskLogStatus.INCOMPLETE: LogEventType.TASK_INCOMPLETE,
    TaskLogStatus.ERROR: LogEventType.TASK_ERROR,
}


def _of_move(session: Session, step: Step) -> Iterator[Entry]:
    """An end, whenever the task comes to one, and the end of an attempt after which another follows."""
    task = step.after
    assert step.before is not None
    status = log_status(task)
    if status is not log_status(step.before) and status in _ENDS:
        yield Entry(step.at, _ENDS[status], _ended(session, task))
    elif isinstance(step.event, e.VerdictReached) and step.event.verdict.disposition in _AGAIN:
        verdict = step.event.verdict
        kind = LogEventType.TASK_ERROR if verdict.outcome in _ERRORS else LogEventType.TASK_INCOMPLETE
        said = {"status": verdict.outcome, "error_message": "; ".join(verdict.reasons) or str(verdict.disposition)}
        yield Entry(step.at, kind, said)


_AGAIN = (Disposition.RETRY, Disposition.POSTPONE)
_ERRORS = (Outcome.ERROR, Outcome.INVALID)


def _ended(session: Session, task: Task) -> dict[str, Any]:
    seen = task.run.observation if task.run else None
    content: dict[str, Any] = {
        "status": task_status(task),
        "files_modified": [change.path for change in seen.changes if change.exists] if seen else [],
    }
    if task.evidence:
        content["evidence_ref"] = task.evidence[-1].id
    if reason := error_reason(session, task):
        content["error_message"] = reason
    return content
