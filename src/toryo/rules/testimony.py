"""What is sealed of everything a verdict rests on: the facts of each record, worked out again when it is verified."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from toryo.domain.evidence import CheckResult
from toryo.domain.plan import Check, Terms
from toryo.domain.report import Report
from toryo.domain.review import Review
from toryo.domain.run import EndedBy, Observation, Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Disposition, Verdict
from toryo.rules.masking import mask, mask_all

Facts = dict[str, object]


def worded(facts: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Facts as a record keeps them: words as they are, everything else as JSON; masked, since sealed they stay so."""
    return tuple((name, _in_words(value)) for name, value in facts.items())


def _in_words(value: object) -> str:
    return mask(value) if isinstance(value, str) else json.dumps(mask_all(value))


def of_setup(command: str, code: int | None) -> Facts:
    return {"command": command, "code": code}


def of_exit(run: Run, code: int, ended_by: EndedBy, reaped: int, ended_at: float, report: Report | None) -> Facts:
    return {
        "agent": run.agent,
        "run": run.id,
        "code": code,
        "ended_by": ended_by.value,
        "reaped": reaped,
        "ended_at": ended_at,
        "report": _of_report(report),
    }


def of_loss(run: Run, why: str, report: Report | None) -> Facts:
    return {"agent": run.agent, "run": run.id, "lost": why, "report": _of_report(report)}


def _of_report(report: Report | None) -> Any:
    """An agent's last words may be long, and stand in its log: their hash is enough."""
    return {} if report is None else _plain(report) | {"last_words": _digest(report.last_words)}


def of_files(task: Task, run: Run, seen: Observation) -> Facts:
    every = {field.name: _plain(getattr(seen, field.name)) for field in fields(seen)}
    return {"run": run.id, "base": task.base, "start": run.start_commit, **every}


def of_check(check: Check | None, result: CheckResult, *, stage: str, commit: str, tree: str) -> Facts:
    """`stage`: before the task's own work, of it, of the merge, or of the session as a whole."""
    return {
        "check": result.name,
        "stage": stage,
        "command": check.command if check else "",
        "timeout": check.timeout if check else 0.0,
        "on_failure": check.on_failure.value if check else "",
        "status": result.status.value,
        "code": result.code,
        "seconds": result.seconds,
        "tail_sha256": _digest(result.tail),
        "commit": commit,
        "tree": tree,
    }


def of_review(task: Task, run: Run, review: Review) -> Facts:
    every = {field.name: _plain(getattr(review, field.name)) for field in fields(review)}
    return {"run": run.id, "commit": task.commit, **every}


def of_verdict(task: Task, run: Run, terms: Terms, verdict: Verdict, rules: int) -> Facts:
    """The verdict, and what it was measured against."""
    plan = task.plan
    every = {field.name: _plain(getattr(verdict, field.name)) for field in fields(verdict)}
    return {
        "run": run.id,
        **every,
        "feedback": _digest(verdict.feedback),
        "rules": rules,
        "attempt": task.attempts + 1,
        "attempts": terms.attempts,
        "reviews": terms.reviews,
        "reviewed_by": run.review.by if run.review else "",
        "type": plan.type.value,
        "scope": list(plan.scope),
        "expect": list(plan.expect),
        "acceptance": list(plan.acceptance),
        "limits": _plain(plan.limits),
        "checks": [[check.name, check.command, check.timeout, check.on_failure.value] for check in plan.checks],
        "commit": task.commit,
    }


def of_merge(session: Session, task: Task, commit: str, tree: str, results: Sequence[CheckResult]) -> Facts:
    return {
        "commit": commit,
        "tree": tree,
        "onto": session.tip,
        "merged": "" if task.plan.type.is_read_only else task.commit,
        "checks": {result.name: result.status.value for result in results},
    }


def of_refusal(session: Session, task: Task, disposition: Disposition, files: Sequence[str], why: str) -> Facts:
    return {
        "onto": session.tip,
        "refused": task.commit,
        "disposition": disposition.value,
        "files": list(files),
        "why": why,
    }


def of_update(session: Session, onto: str, commit: str, tree: str) -> Facts:
    """The session's branch brought together with what the branch it is landed on had got."""
    return {"commit": commit, "tree": tree, "onto": session.tip, "merged": onto}


def of_landing(session: Session, commit: str, before: str) -> Facts:
    landing = session.landing
    return {
        "landed": session.tip,
        "tree": session.tip_tree,
        "commit": commit,
        "before": before,
        "mode": landing.mode.value if landing else "",
        "target": landing.target if landing else "",
        "by": landing.by if landing else "",
    }


def of_proof(session: Session, result: CheckResult, commit: str, tree: str, *, is_first: bool) -> Facts:
    """One of the session's own checks on its branch; the first also holds where the chain of every task stood."""
    check = next((known for known in session.checks if known.name == result.name), None)
    facts = of_check(check, result, stage="session", commit=commit, tree=tree)
    if is_first:
        facts["chains"] = {task.plan.key: task.chain for task in session.tasks.values() if task.chain}
    return facts


def _plain(value: Any) -> Any:
    """As JSON would have it; what is empty is left out of facts within facts, so that a new field changes nothing."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        inner = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {name: plain for name, plain in inner.items() if plain}
    return value


def _digest(text: str) -> str:
    """Of a text that is kept elsewhere; masked, as it is wherever it is kept."""
    return hashlib.sha256(mask(text).encode(errors="backslashreplace")).hexdigest() if text else ""
