"""Sessions, tasks and runs as plain data: one documented shape behind every --json and every table."""

from collections.abc import Mapping
from typing import Any

from toryo.domain.evidence import Evidence
from toryo.domain.planning import Question
from toryo.domain.report import Report
from toryo.domain.run import Run
from toryo.domain.session import Session
from toryo.domain.task import SETTLED, Task
from toryo.rules.cleanliness import permission_words
from toryo.rules.judging import session_outcome
from toryo.rules.kinds import is_unchecked
from toryo.rules.limits import violations_of
from toryo.rules.locking import in_the_way
from toryo.rules.masking import mask
from toryo.views.budget import budget_row
from toryo.views.criteria import criteria_of_task, criterion_data
from toryo.views.landingwords import landing_row
from toryo.views.records.violations import violation_record
from toryo.views.summary import summary
from toryo.views.usage import task_usage, usage_row
from toryo.views.words import state_words

VERSION = 1


def envelope(kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Every JSON answer says what it is and in which version of the shape."""
    return {"toryo": VERSION, "kind": kind, **data}


def session_row(session: Session) -> dict[str, Any]:
    row = {key: value for key, value in summary(session).items() if key != "shape"}
    row.update(
        title=mask(session.title),
        source=session.source,
        base_commit=session.base_commit,
        tip=session.tip,
        parallel=session.parallel,
        checks=[check.name for check in session.checks],
        proof=_results(session.proof) if session.proof_commit == session.tip else [],
        usage=usage_row(session.usage),
        budget=budget_row(session),
        calls={
            "count": session.calls,
            **usage_row(session.call_usage),
            "has_estimates": session.has_estimates,
        },
        instruction=mask(session.planning.instruction) if session.planning else None,
        spec=session.planning.spec if session.planning else None,
        judgement=_judgement(session),
        landing=landing_row(session),
        pauses=[
            {
                "credential": name,
                "until": None if pause.needs_person else pause.until,
                "reason": pause.reason.value,
                "message": mask(pause.message),
            }
            for name, pause in session.pauses.items()
        ],
        violations=[{"task": task.plan.key, **violation_record(found)} for task, found in violations_of(session)],
        next_action=session_outcome(session) not in ("ERROR", "INVALID"),
    )
    return row


def _held_up_by(session: Session, task: Task) -> dict[str, Any] | None:
    """Who is at work on the same files, where that alone keeps the task from starting."""
    is_ready = task.number in session.ready
    found = in_the_way(session, task) if is_ready else None
    return {"task": found[0].id, "key": found[0].plan.key, "path": found[1]} if found else None


def _judgement(session: Session) -> dict[str, Any] | None:
    said = session.judgement
    if said is None:
        return None
    return {
        "complete": said.is_complete,
        "score": said.score,
        "missing": [mask(text) for text in said.missing],
        "suggestions": [mask(text) for text in said.suggestions],
        "by": said.by,
    }


def question_row(question: Question) -> dict[str, Any]:
    return {
        "question": mask(question.text),
        "why": mask(question.why),
        "options": [mask(option) for option in question.options],
        "default": mask(question.default),
    }


def task_row(session: Session, task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "key": task.plan.key,
        "title": mask(task.plan.title),
        "type": task.plan.type.value,
        "agent": task.plan.agent,
        "state": task.state.value,
        "says": state_words(session, task),
        "held_up_by": _held_up_by(session, task),
        "outcome": task.outcome.value if task.outcome else None,
        "unchecked": is_unchecked(task),
        "attempts": task.attempts,
        "depends_on": list(task.plan.depends_on),
        "branch": task.plan.branch,
        "block_reason": task.block_reason.value if task.block_reason else None,
        "reason": mask(task.reason),
        "base": task.base or None,
        "commit": task.commit or None,
        "merge_commit": task.merge_commit or None,
        "resolves": task.plan.resolves or None,
        "replaces": session.tasks[task.replaces].plan.key if task.replaces else None,
        "question": mask(task.question) or None,
        "review": _review(task),
        "usage": usage_row(task_usage(task)),
    }


def _review(task: Task) -> dict[str, Any] | None:
    review = task.run.review if task.run else None
    if review is None:
        return None
    return {
        "opinion": review.opinion.value,
        "reason": mask(review.reason),
        "missing": [mask(text) for text in review.missing],
        "issues": [mask(text) for text in review.issues],
        "remarks": [mask(text) for text in review.remarks],
        "suggestions": [mask(text) for text in review.suggestions],
    }


def task_details(session: Session, task: Task) -> dict[str, Any]:
    details = task_row(session, task)
    details.update(
        description=mask(task.plan.description),
        acceptance=[mask(text) for text in task.plan.acceptance],
        scope=list(task.plan.scope),
        expect=list(task.plan.expect),
        permissions=[{"by": p.by, "why": mask(p.why), "what": permission_words(p)} for p in task.permissions],
        checks=[check.name for check in task.plan.checks],
        criteria=[criterion_data(judged) for judged in criteria_of_task(session, task)],
        violations=[violation_record(violation) for violation in task.violations],
        approvals=[mask(text) for text in task.approvals],
        feedback=mask(task.feedback),
        runs=[run_row(run) for run in task.runs],
        evidence=[_evidence_row(record) for record in task.evidence],
    )
    return details


def run_row(run: Run) -> dict[str, Any]:
    seen = run.observation
    return {
        "id": run.id,
        "number": run.number,
        "agent": run.agent,
        "conversation": run.conversation,
        "state": run.state.value,
        "pid": run.pid,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "code": run.code,
        "ended_by": run.ended_by.value if run.ended_by else None,
        "trouble": mask(run.trouble),
        "files": [
            {"path": c.path, "change": c.change.value, "exists": c.exists} for c in (seen.changes if seen else ())
        ],
        "blemishes": [
            {"rule": b.rule.value, "path": b.path, "line": b.line, "text": mask(b.text), "level": b.level.value}
            for b in (seen.blemishes if seen else ())
        ],
        "protected": list(seen.protected) if seen else [],
        "checks": _results(run.results),
        "before": _results(run.before),
        "result": mask(seen.result) or None if seen else None,
        "outcome": run.verdict.outcome.value if run.verdict else None,
        "disposition": run.verdict.disposition.value if run.verdict else None,
        "question": mask(run.question) or None,
        "report": _report_row(run.report),
        "log": f"runs/{run.id}/output.log",
        "reasons": [mask(reason) for reason in run.verdict.reasons] if run.verdict else [],
    }


def _report_row(report: Report | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "usage": usage_row(report.usage),
        "trouble": report.trouble.value if report.trouble else None,
        "message": mask(report.message),
        "until": report.until or None,
        "last_words": mask(report.last_words),
        "question": mask(report.question) or None,
    }


def _results(results: Any) -> list[dict[str, Any]]:
    return [{"name": r.name, "status": r.status.value, "code": r.code, "seconds": round(r.seconds, 3)} for r in results]


def _evidence_row(record: Evidence) -> dict[str, Any]:
    return {
        "id": record.id,
        "operation": record.operation.value,
        "at": record.at,
        "facts": {name: mask(value) for name, value in record.facts},
        "log": record.log or None,
        "log_sha256": record.log_sha256 or None,
        "sensitive": record.sensitive,
        "previous": record.previous or None,
        "sha256": record.sha256,
    }


def is_unfinished(row: Mapping[str, Any]) -> bool:
    return bool(row["state"] != "closed")


def progress_of(counts: Mapping[str, int]) -> tuple[int, int]:
    """How many tasks are settled, and how many there are."""
    return sum(counts.get(state.value, 0) for state in SETTLED), sum(counts.values())
