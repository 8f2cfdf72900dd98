"""From what was observed to a verdict: fail closed, the worst finding decides."""

from toryo.domain.plan import Check, Terms
from toryo.domain.report import Trouble
from toryo.domain.review import Opinion
from toryo.domain.run import PERSON, EndedBy, Run
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict, worst
from toryo.rules.findings import (
    BLOCKED_AS,
    Finding,
    feedback_of,
    findings,
    findings_before_checks,
    findings_from_checks,
    findings_of_protection,
    findings_of_review,
    is_untouched,
    say_trouble,
    violations,
    warnings,
)
from toryo.rules.kinds import checks_for
from toryo.rules.limits import may_check
from toryo.rules.patience import longest_wait, spread_of, wait_after
from toryo.rules.wholeness import is_proven

RULES_VERSION = 1
"""Raise it with every change after which the same facts may lead to another verdict; each verdict is sealed with it."""
_FRESH_STARTS = 2
"""How often in a row a conversation may turn out not to exist."""


def next_check(task: Task, terms: Terms) -> Check | None:
    """The next check worth running: none where the work has already failed without it."""
    run = task.runs[-1]
    if run.observation is None:
        return None
    if findings_before_checks(task, run) and not (terms.reviews and is_untouched(task, run)):
        return None
    if not may_check(task):
        return None
    done = {result.name for result in run.results}
    return next((check for check in checks_for(task, run) if check.name not in done), None)


def needs_review(task: Task, terms: Terms) -> bool:
    """Nothing else speaks against the work, and a model has not been asked yet."""
    run = task.runs[-1]
    if not _is_reviewed(task, terms) or run.review is not None or task.revision or _postponement(task, run, terms):
        return False
    return not findings(task, run) or (is_untouched(task, run) and not findings_from_checks(task, run))


def _is_reviewed(task: Task, terms: Terms) -> bool:
    """Whether its work needs a model's opinion: that of a command speaks for itself."""
    return terms.reviews and not task.plan.command


def verdict_on(task: Task, terms: Terms) -> Verdict:
    """What the rules conclude about the task's latest run."""
    run = task.runs[-1]
    if task.revision:
        return Verdict(Outcome.INCOMPLETE, Disposition.RETRY, ("a person changed what is wanted",), task.revision)
    if verdict := _postponement(task, run, terms):
        return verdict
    if _was_done_already(task, run, terms):
        assert run.review is not None
        return Verdict(Outcome.COMPLETE, Disposition.SKIP, (f"already satisfied: {run.review.reason}",))
    found = findings(task, run) or (findings_of_review(run) if _is_reviewed(task, terms) else [])
    found = found or findings_of_protection(task, run)
    outcome = worst([Outcome.COMPLETE, *(finding.outcome for finding in found)])
    if outcome is Outcome.COMPLETE:
        return Verdict(outcome, Disposition.ACCEPT, warnings(task, run))
    reasons = tuple(finding.text for finding in found)
    blocked = next((finding.blocks for finding in found if finding.blocks), None)
    is_last = task.attempts + 1 >= terms.attempts or run.agent == PERSON or _repeats_itself(task, found)
    if blocked is None and is_last:
        blocked = _what_is_left(found, outcome)
    disposition = Disposition.BLOCK if blocked else Disposition.RETRY
    beyond = violations(task, run, terms)
    return Verdict(outcome, disposition, reasons, feedback_of(found), blocked, violations=beyond)


def _what_is_left(found: list[Finding], outcome: Outcome) -> BlockReason:
    """Why nothing more is tried: where it is all of one kind, that says more than that the attempts are used up."""
    left = {finding.left for finding in found}
    if len(left) == 1 and (only := left.pop()):
        return only
    return BlockReason.NO_EVIDENCE if outcome is Outcome.NO_EVIDENCE else BlockReason.MAX_RETRIES


def _was_done_already(task: Task, run: Run, terms: Terms) -> bool:
    """Nothing was changed, the checks pass, and the review finds nothing missing: only all three together."""
    return (
        _is_reviewed(task, terms)
        and run.review is not None
        and run.review.opinion is Opinion.SATISFIED
        and not run.review.missing
        and is_untouched(task, run)
        and not findings_from_checks(task, run)
    )


def _repeats_itself(task: Task, found: list[Finding]) -> bool:
    """Twice the same files with the same faults: a third time would bring nothing new."""
    if len(task.runs) < 3 or not task.plan.checks:
        return False
    *_, first, second, last = task.runs
    trees = {run.observation.tree if run.observation else run.id for run in (first, second, last)}
    reasons = {run.verdict.reasons if run.verdict else () for run in (first, second)}
    return len(trees) == 1 and reasons == {tuple(finding.text for finding in found)}


_POSTPONED = (Trouble.QUOTA, Trouble.API)


def _postponement(task: Task, run: Run, terms: Terms) -> Verdict | None:
    """Where something other than the work stood in the way: again, later, without burning an attempt."""
    report = run.report
    if report is None or report.trouble is None or run.ended_by not in (EndedBy.ITSELF, EndedBy.TURN, EndedBy.STALL):
        return None
    says = (say_trouble(report),)
    if report.trouble is Trouble.CONVERSATION and task.postponements < _FRESH_STARTS:
        return Verdict(Outcome.INCOMPLETE, Disposition.POSTPONE, says)
    if report.trouble not in _POSTPONED:
        return None
    reason = BLOCKED_AS[report.trouble]
    now = run.ended_at or run.planned_at
    wait = wait_after(report.trouble, task.postponements, spread_of(run.id))
    until = report.until if report.until > now else now + wait
    if until - (task.postponed_since or now) > longest_wait(report.trouble, terms):
        return None
    return Verdict(Outcome.INCOMPLETE, Disposition.POSTPONE, says, block_reason=reason, until=until)


def conflict_disposition(task: Task, terms: Terms) -> Disposition:
    """A conflict goes to an agent once, then the task is done again from the merged work once, then a person."""
    resolver = terms.resolver or task.plan.agent
    able = resolver not in terms.unable_to_resolve
    if able and not task.resolutions and not task.redos and not task.plan.resolves:
        return Disposition.RESOLVE
    # What a person did is not done again by an agent.
    may_redo = not task.redos and not task.plan.resolves and not (task.run and task.run.agent == PERSON)
    return Disposition.REDO if may_redo else Disposition.BLOCK


def session_outcome(session: Session) -> Outcome:
    """The worst outcome of the tasks that count, and of the proof on the integrated branch."""
    outcomes = [_task_outcome(task) for task in session.tasks.values() if is_counted(session, task)]
    if session.tip != session.base_commit and not is_proven(session):
        outcomes.append(Outcome.INCOMPLETE)
    if session.judgement and session.judged_commit == session.tip and not session.judgement.is_complete:
        outcomes.append(Outcome.INCOMPLETE)
    return worst(outcomes)


def is_counted(session: Session, task: Task) -> bool:
    """A replaced or cancelled task, or a failed resolution whose task came home another way, no longer matters."""
    if task.state in (TaskState.REPLACED, TaskState.CANCELLED):
        return False
    return task.resolves is None or session.tasks[task.resolves].state is not TaskState.INTEGRATED


def _task_outcome(task: Task) -> Outcome:
    if task.state in MERGED:
        return Outcome.COMPLETE
    if task.outcome is None or task.outcome is Outcome.COMPLETE:
        return Outcome.INCOMPLETE
    return task.outcome
