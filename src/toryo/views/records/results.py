"""A session and its tasks as results: what was reached, on which evidence, and what is left to do."""

from toryo.domain.locks import FileLock
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task
from toryo.domain.verdict import Outcome
from toryo.rules.findings import guessed
from toryo.rules.judging import is_counted, session_outcome
from toryo.rules.limits import violations_of
from toryo.rules.masking import mask
from toryo.views.records import shapes
from toryo.views.records.chronicle import Chronicle
from toryo.views.records.logevents import check_run
from toryo.views.records.phases import phase_of
from toryo.views.records.plain import masked, plain
from toryo.views.records.proofs import all_summaries, evidence_records, inventory, last_look
from toryo.views.records.rounds import THREADS
from toryo.views.records.statuses import clarification, error_reason, log_id, parent_id, task_status
from toryo.views.records.tasklogs import span_of, verification_root
from toryo.views.records.times import moment
from toryo.views.records.violations import violation_record
from toryo.views.standing import is_being_planned


def session_record(told: Chronicle, root: str) -> shapes.Session:
    session = told.session
    provider, model = _model(session)
    return {
        "session_id": session.id,
        "started_at": moment(session.opened_at),
        "target_project": root,
        "runner_version": session.version,
        "configuration": masked(plain(session.terms)),
        "current_phase": phase_of(session),
        "status": session.state.value,
        "continuation_approved": told.continued_at > told.violated_at,
        "limit_violations": violations(session),
        "selected_provider": provider,
        "selected_model": model,
    }


def _model(session: Session) -> tuple[str | None, str | None]:
    """The provider and the model that answered last; until one has, those that a person chose, if any."""
    chosen = session.terms.chosen
    if session.provider:
        return session.provider, session.model or None
    return chosen.provider or None, chosen.model or None


def violations(session: Session) -> list[shapes.LimitViolation]:
    return [violation_record(violation) for _, violation in violations_of(session)]


def task_record(told: Chronicle, task: Task, root: str) -> shapes.Task:
    session = told.session
    look = last_look(told.steps[task.number])
    where = verification_root(session, task, root)
    round_ = span_of(told, task).round
    limits = task.plan.limits
    record: shapes.Task = {
        "task_id": task.id,
        "thread_id": THREADS[round_.thread],
        "run_id": round_.id,
        "parent_task_id": parent_id(session, task),
        "description": f"{task.plan.title}\n\n{task.plan.description}".strip(),
        "requirements": list(task.plan.acceptance),
        "status": task_status(task),
        "evidence_refs": [record.id for record in task.evidence],
        "files_modified": [f"{where}/{change.path}" for change in look[0].changes] if look else [],
        "tests_run": [_check_run(result) for run in task.runs for result in run.results],
        "tests_required_before_implementation": task.plan.tests_first,
        "granularity_limits": {
            "max_files": limits.files,
            "max_tests": limits.tests,
            "max_seconds": limits.seconds,
        },
        "decomposition_approved_by_runner": not is_being_planned(session) or bool(task.runs),
        "log_ref": log_id(task),
    }
    if task.plan.agent:
        record["assigned_executor"] = task.plan.agent
    found: shapes.Task = masked(record)
    return found


def _check_run(result: object) -> shapes.CheckRun:
    run: shapes.CheckRun = check_run(result)  # type: ignore[assignment]
    return run


def task_result(told: Chronicle, task: Task) -> shapes.TaskResult:
    span = span_of(told, task)
    asks = clarification(task)
    result: shapes.TaskResult = {
        "task_id": task.id,
        "status": task_status(task),
        "started_at": moment(span.began),
        "evidence": masked(evidence_records(task)),
        "clarification_needed": bool(asks),
    }
    if span.ended is not None:
        result["completed_at"] = moment(span.ended)
    if reason := error_reason(told.session, task):
        result["error"] = mask(reason)
    if asks:
        result["clarification_question"] = mask(asks)
    return result


def execution_result(told: Chronicle, root: str) -> shapes.ExecutionResult:
    session = told.session
    tasks = list(session.tasks.values())
    status = session_outcome(session)
    asks = _open_question(session)
    provider, model = _model(session)
    result: shapes.ExecutionResult = {
        "overall_status": status,
        "tasks": [task_record(told, task, root) for task in tasks],
        "evidence_summary": masked(all_summaries(told)),
        "next_action": bool(asks) or status not in (Outcome.ERROR, Outcome.INVALID),
        "violations": violations(session),
        "session_id": session.id,
        "incomplete_task_reasons": [
            mask(f"{task.id}: {reason}") for task in tasks if (reason := _why_not_complete(session, task))
        ],
        "evidence_inventory": inventory(told),
        "speculative_language_detected": any(guessed(task.run) for task in tasks if task.run),
        "selected_provider": provider,
        "selected_model": model,
    }
    if asks:
        result["next_action_reason"] = mask(asks)
    return result


def _why_not_complete(session: Session, task: Task) -> str:
    if task_status(task) is Outcome.COMPLETE or not is_counted(session, task):
        return ""
    return error_reason(session, task) or f"{task.state}: {task.reason}".rstrip(": ")


def _open_question(session: Session) -> str:
    """What a person has to answer before all else; empty: nothing."""
    if session.state is SessionState.CLOSED:
        return ""
    if session.planning and (unanswered := session.planning.open_questions):
        return unanswered[0].text
    return next((asks for task in session.tasks.values() if (asks := clarification(task))), "")


def lock_record(lock: FileLock, agent: str, root: str) -> shapes.FileLock:
    return {
        "lock_id": f"{lock.run}:{lock.path}",
        "file_path": f"{root}/{lock.path}",
        "holder_executor_id": agent,
        "acquired_at": moment(lock.since),
        "expires_at": moment(lock.expected_until),
        "lock_type": lock.type,
    }
