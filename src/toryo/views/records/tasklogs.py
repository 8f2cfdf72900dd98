"""Task logs: one for every task in every state, read from the journal, so that both always agree."""

from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.masking import mask
from toryo.rules.naming import folder_of
from toryo.views.records import logshapes
from toryo.views.records.blocking import block_of
from toryo.views.records.chronicle import Chronicle, Step
from toryo.views.records.enums import LogEventType, TaskLogStatus, VisibilityLevel
from toryo.views.records.logevents import Entry, end_words, entries, log_event
from toryo.views.records.plain import masked
from toryo.views.records.proofs import artifacts, evidence_summary, last_look
from toryo.views.records.rounds import THREADS, Round, round_id
from toryo.views.records.statuses import decision, error_reason, log_id, log_status, parent_id, task_status
from toryo.views.records.times import milliseconds, moment


@fact
class Span:
    """From its first run, or from when it was planned, until it came to an end."""

    began: float
    ended: float | None
    round: Round


def span_of(told: Chronicle, task: Task) -> Span:
    steps = told.steps[task.number]
    starts = [step for step in steps if _is_start(step)]
    rounds = told.rounds[(starts or list(steps))[-1].round - 1]
    return Span((starts or steps)[0].at, _end(steps), rounds)


def _is_start(step: Step) -> bool:
    return step.before is not None and len(step.after.runs) > len(step.before.runs)


def _end(steps: tuple[Step, ...]) -> float | None:
    """When it came to how it stands now; None while it is queued or at work."""
    status = log_status(steps[-1].after)
    if not status.is_terminal:
        return None
    ended = steps[-1].at
    for step in reversed(steps):
        if log_status(step.after) is not status:
            break
        ended = step.at
    return ended


def task_log(told: Chronicle, task: Task, root: str, *, is_full: bool = False) -> logshapes.TaskLog:
    session, steps = told.session, told.steps[task.number]
    told_of = entries(session, steps)
    span = span_of(told, task)
    shown = [entry for entry in told_of if is_full or entry.visibility is VisibilityLevel.SUMMARY]
    look = last_look(steps)
    reason = error_reason(session, task)
    log: logshapes.TaskLog = {
        "task_id": task.id,
        "session_id": session.id,
        "status": log_status(task),
        "started_at": moment(span.began),
        "ended_at": None if span.ended is None else moment(span.ended),
        "prompt_summary": _cut(mask(" ".join(task.plan.title.split()))),
        "runner_decision": decision(task),
        "error_reason": reason if reason is None else mask(reason),
        "artifacts": masked(artifacts(task, look[0] if look else None)),
        "visibility": VisibilityLevel.FULL if is_full else VisibilityLevel.SUMMARY,
        "masked": True,
        "events": [log_event(entry) for entry in shown],
        "thread_id": THREADS[span.round.thread],
        "run_id": span.round.id,
        "parent_task_id": parent_id(session, task),
        "created_at": moment(steps[0].at),
        "summary": _summary(told_of),
        "evidence_refs": [record.id for record in task.evidence],
    }
    if look:
        summary = masked(evidence_summary(task, *look))
        log["evidence_summary"] = summary
        log["verification_root"] = verification_root(session, task, root)
        log["verified_files"] = summary["verified_files"]
    _add_executor(log, task)
    return log


def _cut(text: str) -> str:
    most = logshapes.LONGEST_SUMMARY
    return text if len(text) <= most else text[: most - 1] + "…"


def verification_root(session: Session, task: Task, root: str) -> str:
    """The worktree in which the files were looked at; it may be gone by now."""
    folder = f"{folder_of(session.branch)}.shared" if task.plan.worktree == "shared" else folder_of(task.plan.branch)
    return f"{root}/.worktrees/{folder}"


def _add_executor(log: logshapes.TaskLog, task: Task) -> None:
    """How its latest run ended, once it has."""
    run = task.run
    if run is None or run.ended_at is None:
        return
    log["executor_summary"] = end_words(run, run.report)
    block = block_of(run, task.evidence, run.ended_at)
    log["executor_blocked"] = block is not None
    if block:
        log["blocked_reason"] = block.reason
        log["timeout_ms"] = block.timeout_ms
        log["terminated_by"] = block.by


def _summary(told_of: list[Entry]) -> logshapes.TaskLogSummary:
    visible = sum(entry.visibility is VisibilityLevel.SUMMARY for entry in told_of)

    def total(kind: LogEventType, name: str) -> int:
        return sum(entry.content[name] for entry in told_of if entry.type is kind)

    return {
        "total_events": len(told_of),
        "summary_events": visible,
        "full_events": len(told_of) - visible,
        "total_tokens_input": total(LogEventType.LLM_MEDIATION_REQUEST, "tokens_input"),
        "total_tokens_output": total(LogEventType.LLM_MEDIATION_RESPONSE, "tokens_output"),
        "total_latency_ms": total(LogEventType.LLM_MEDIATION_RESPONSE, "latency_ms"),
    }


@fact
class Line:
    """A task as the list of logs shows it."""

    task: Task
    status: TaskLogStatus
    span: Span
    duration_ms: int
    files: int
    tests: int


def line_of(told: Chronicle, task: Task, now: float) -> Line:
    look = last_look(told.steps[task.number])
    span = span_of(told, task)
    status = log_status(task)
    until = span.ended if span.ended is not None else now if status is TaskLogStatus.RUNNING else span.began
    files = evidence_summary(task, *look)["files_verified"] if look else []
    tests = sum(len(run.results) for run in task.runs)
    return Line(task, status, span, milliseconds(until - span.began), len(files), tests)


def task_log_index(told: Chronicle, now: float) -> logshapes.TaskLogIndex:
    session = told.session
    return {
        "session_id": session.id,
        "created_at": moment(session.opened_at),
        "updated_at": moment(max(session.updated_at, session.opened_at)),
        "entries": [_entry(session, line_of(told, task, now)) for task in session.tasks.values()],
    }


def _entry(session: Session, line: Line) -> logshapes.TaskLogEntry:
    task, span = line.task, line.span
    return {
        "task_id": log_id(task),
        "external_task_id": task.id,
        "thread_id": THREADS[span.round.thread],
        "run_id": round_id(span.round.number),
        "parent_task_id": parent_id(session, task),
        "status": task_status(task),
        "started_at": moment(span.began),
        "completed_at": None if span.ended is None else moment(span.ended),
        "duration_ms": line.duration_ms,
        "files_modified_count": line.files,
        "tests_run_count": line.tests,
        "log_file": f"runs/{task.run.id}/output.log" if task.run else "",
    }
