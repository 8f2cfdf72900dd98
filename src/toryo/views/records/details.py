"""Sessions, tasks and runs in full: Toryo's own rows together with the structures that other programs know."""

from typing import Any

from toryo.domain.run import EndedBy, Run, RunState
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Disposition
from toryo.rules.judging import session_outcome
from toryo.rules.locking import locks
from toryo.rules.masking import mask
from toryo.views.audits import pursuit_row
from toryo.views.records.chronicle import Chronicle
from toryo.views.records.logevents import end_words
from toryo.views.records.results import execution_result, lock_record, session_record, task_record, task_result
from toryo.views.records.rounds import run_record, thread_records
from toryo.views.rows import run_row, session_row, task_details, task_row


def session_answer(told: Chronicle, root: str) -> dict[str, Any]:
    session = told.session
    return {
        "session": {**session_row(session), **_more(session), "record": session_record(told, root)},
        "threads": thread_records(session, told.rounds),
        "locks": [lock_record(lock, session.tasks[lock.task].runs[-1].agent, root) for lock in locks(session)],
        "rounds": [run_record(session, each) for each in told.rounds],
        "tasks": [
            {**task_row(session, task), "record": task_record(told, task, root)} for task in session.tasks.values()
        ],
    }


def _more(session: Session) -> dict[str, Any]:
    """What led to the plan, and how often more was wanted."""
    planning = session.planning
    return {
        "version": session.seq,
        "conversation": [
            {"speaker": message.speaker.value, "text": mask(message.text)}
            for message in (planning.talk if planning else ())
        ],
        "conversation_summary": mask(planning.summary) if planning and planning.summary else None,
        "continuations": len(planning.wishes) if planning else 0,
        "pursuit": pursuit_row(session.pursuit),
    }


def task_answer(told: Chronicle, task: Task, root: str) -> dict[str, Any]:
    session = told.session
    details = {
        **task_details(session, task),
        "runs": [run_details(run) for run in task.runs],
        "record": task_record(told, task, root),
        "result": task_result(told, task),
    }
    return {"session": session.id, "task": details}


def run_answer(session: Session, task: Task, run: Run) -> dict[str, Any]:
    return {"session": session.id, "task": task.id, "run": run_details(run)}


def run_details(run: Run) -> dict[str, Any]:
    status = _run_status(run)
    failed = status in ("FAILURE", "TIMEOUT")
    reasons = "; ".join(run.verdict.reasons) if run.verdict else ""
    message = reasons or end_words(run, run.report) if failed else ""
    return {**run_row(run), "status": status, "error_message": mask(message) or None}


def _run_status(run: Run) -> str | None:
    """SUCCESS only where the rules accepted what it did; None while that is open, or where it was stopped."""
    if run.ended_by is EndedBy.TIME_LIMIT:
        return "TIMEOUT"
    if run.verdict:
        good = (Disposition.ACCEPT, Disposition.SKIP)
        return "SUCCESS" if run.verdict.disposition in good else "FAILURE"
    return "FAILURE" if run.state is RunState.LOST or run.trouble else None


def report_answer(told: Chronicle, root: str) -> dict[str, Any]:
    session = told.session
    return {
        "result": execution_result(told, root),
        "session": {**session_row(session), "outcome": session_outcome(session)},
        "tasks": [task_details(session, task) for task in session.tasks.values()],
    }
