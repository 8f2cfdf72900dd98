"""From what was observed to a verdict: fail closed, the worst finding decides."""

import time

from toryo.domain.evidence import Change, CheckResult, CheckStatus
from toryo.domain.facts import fact
from toryo.domain.plan import Check, OnFailure, TaskType, Terms
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation, Run, RunState
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict, worst
from toryo.rules.patience import longest_wait, wait_after

_FRESH_STARTS = 2
"""How often in a row a conversation may turn out not to exist."""


@fact
class Finding:
    """One thing that speaks against the work; `blocks` where trying again would not help."""

    outcome: Outcome
    text: str
    blocks: BlockReason | None = None
    detail: str = ""


def next_check(task: Task) -> Check | None:
    """The next check worth running: none where the work has already failed without it."""
    run = task.runs[-1]
    if run.observation is None or any(_findings_before_checks(task, run)):
        return None
    if task.plan.limits.tests is not None and _checks_run(task) >= task.plan.limits.tests:
        return None
    done = {result.name for result in run.results}
    return next((check for check in task.plan.checks if check.name not in done), None)


def verdict_on(task: Task, terms: Terms) -> Verdict:
    """What the rules conclude about the task's latest run."""
    run = task.runs[-1]
    if verdict := _postponement(task, run, terms):
        return verdict
    findings = _findings_before_checks(task, run) or _findings_from_checks(task, run)
    outcome = worst([Outcome.COMPLETE, *(finding.outcome for finding in findings)])
    if outcome is Outcome.COMPLETE:
        return Verdict(outcome, Disposition.ACCEPT, _warnings(task, run))
    reasons = tuple(finding.text for finding in findings)
    feedback = _feedback(findings)
    blocked = next((finding.blocks for finding in findings if finding.blocks), None)
    if blocked is None and task.attempts + 1 >= terms.attempts:
        blocked = BlockReason.NO_EVIDENCE if outcome is Outcome.NO_EVIDENCE else BlockReason.MAX_RETRIES
    disposition = Disposition.BLOCK if blocked else Disposition.RETRY
    return Verdict(outcome, disposition, reasons, feedback, blocked)


_POSTPONED_AS = {Trouble.QUOTA: BlockReason.QUOTA, Trouble.API: BlockReason.TRANSIENT_ERROR}


def _postponement(task: Task, run: Run, terms: Terms) -> Verdict | None:
    """Where something other than the work stood in the way: again, later, without burning an attempt."""
    report = run.report
    if report is None or report.trouble is None or run.ended_by not in (EndedBy.ITSELF, EndedBy.TURN, EndedBy.STALL):
        return None
    says = (_say_trouble(report),)
    if report.trouble is Trouble.CONVERSATION and task.postponements < _FRESH_STARTS:
        return Verdict(Outcome.INCOMPLETE, Disposition.POSTPONE, says)
    reason = _POSTPONED_AS.get(report.trouble)
    if reason is None:
        return None
    now = run.ended_at or run.planned_at
    until = report.until if report.until > now else now + wait_after(report.trouble, task.postponements)
    if until - (task.postponed_since or now) > longest_wait(report.trouble, terms):
        return None
    return Verdict(Outcome.INCOMPLETE, Disposition.POSTPONE, says, block_reason=reason, until=until)


def _say_trouble(report: Report) -> str:
    return f"{report.trouble}: {report.message}" if report.message else str(report.trouble)


def _say_trouble_and_end(report: Report) -> str:
    until = time.strftime(" (until %Y-%m-%d %H:%M UTC)", time.gmtime(report.until)) if report.until else ""
    return _say_trouble(report) + until


def conflict_disposition(task: Task, terms: Terms) -> Disposition:
    """A conflict goes to an agent once, then the task is done again from the merged work once, then a person."""
    resolver = terms.resolver or task.plan.agent
    able = resolver not in terms.unable_to_resolve
    if able and not task.resolutions and not task.redos and not task.plan.resolves:
        return Disposition.RESOLVE
    return Disposition.REDO if not task.redos and not task.plan.resolves else Disposition.BLOCK


_BLOCKED_AS = {
    **_POSTPONED_AS,
    Trouble.LOGIN: BlockReason.LOGIN,
    Trouble.PROGRAM: BlockReason.PROGRAM,
}


def _findings_before_checks(task: Task, run: Run) -> list[Finding]:
    if run.state is RunState.LOST:
        return [Finding(Outcome.ERROR, run.trouble or "the run vanished without an exit record")]
    found: list[Finding] = []
    if run.ended_by is EndedBy.TIME_LIMIT:
        text = "the run was ended at its time limit"
        found.append(Finding(Outcome.INCOMPLETE, text, BlockReason.TIMEOUT))
    elif run.ended_by is EndedBy.QUESTION:
        text = f"it waits for an answer: {run.report.question if run.report else ''}"
        return [Finding(Outcome.INCOMPLETE, text, BlockReason.INTERACTIVE_PROMPT)]
    elif run.report and run.report.trouble:
        blocks = _BLOCKED_AS.get(run.report.trouble)
        outcome = Outcome.INCOMPLETE if blocks else Outcome.ERROR
        found.append(Finding(outcome, _say_trouble_and_end(run.report), blocks))
        if blocks:
            return found  # it could not work at all; what it left undone is no further finding
    elif run.code != 0 and run.ended_by is not EndedBy.TURN:
        found.append(Finding(Outcome.ERROR, f"the agent exited with code {run.code}"))
    elif run.report and run.report.tells_end and not run.report.is_finished:
        found.append(Finding(Outcome.ERROR, "the agent ended before its turn was over"))
    if run.observation is None:
        found.append(Finding(Outcome.NO_EVIDENCE, "what the run left behind could not be observed"))
        return found
    found += _findings_in_files(task, run, run.observation)
    if (asked := _question_in(run)) and any(finding.outcome is Outcome.NO_EVIDENCE for finding in found):
        # Asked again it would only ask again; and what it waits for is an answer, not another attempt.
        found.append(Finding(Outcome.NO_EVIDENCE, f"it asks: {asked}", BlockReason.INTERACTIVE_PROMPT))
    return found


def _question_in(run: Run) -> str:
    """The question with which the agent ended its turn."""
    words = run.report.last_words.strip() if run.report else ""
    return words.rpartition("\n")[2] if words.endswith(("?", "？")) else ""


def _findings_in_files(task: Task, run: Run, seen: Observation) -> list[Finding]:
    if task.plan.type is TaskType.INVESTIGATION:
        return _findings_in_investigation(run, seen)
    if not any(change.exists != (change.change is Change.DELETED) for change in seen.changes):
        return [Finding(Outcome.NO_EVIDENCE, "no file was created, changed or deleted")]
    found = []
    if not seen.run_changed and task.is_unchecked:
        found.append(Finding(Outcome.NO_EVIDENCE, "this run changed nothing, and no check shows the work is done"))
    if seen.missing:
        found.append(Finding(Outcome.INCOMPLETE, f"expected but not there: {', '.join(seen.missing)}"))
    if seen.out_of_scope:
        paths = ", ".join(seen.out_of_scope[:10])
        found.append(Finding(Outcome.INCOMPLETE, f"changed outside the task's scope: {paths}"))
    found.extend(Finding(Outcome.INCOMPLETE, problem) for problem in seen.problems)
    limit = task.plan.limits.files
    if limit is not None and len(seen.changes) > limit:
        text = f"{len(seen.changes)} files changed, the limit is {limit}"
        found.append(Finding(Outcome.INCOMPLETE, text, BlockReason.LIMIT))
    return found


def _findings_in_investigation(run: Run, seen: Observation) -> list[Finding]:
    if seen.changes:
        paths = ", ".join(change.path for change in seen.changes[:10])
        return [Finding(Outcome.INCOMPLETE, f"an investigation must not change files: {paths}")]
    # What an agent with a protocol prints is not yet a result: that is what it says.
    has_spoken = run.report.last_words.strip() if run.report and run.report.tells_end else seen.output_bytes
    if not has_spoken:
        return [Finding(Outcome.NO_EVIDENCE, "the investigation wrote no result")]
    return []


def _findings_from_checks(task: Task, run: Run) -> list[Finding]:
    found = []
    results = {result.name: result for result in run.results}
    for check in task.plan.checks:
        result = results.get(check.name)
        if result is None:
            over = task.plan.limits.tests is not None and _checks_run(task) >= task.plan.limits.tests
            reason = BlockReason.LIMIT if over else None
            why = f": the limit of {task.plan.limits.tests} check runs is used up" if over else ""
            found.append(Finding(Outcome.INCOMPLETE, f"check '{check.name}' did not run{why}", reason))
        elif result.status is not CheckStatus.PASSED and check.on_failure is not OnFailure.WARN:
            blocks = BlockReason.CHECK_FAILED if check.on_failure is OnFailure.BLOCK else None
            found.append(Finding(Outcome.INCOMPLETE, say_failure(result), blocks, result.tail))
    return found


def _checks_run(task: Task) -> int:
    return sum(len(run.results) for run in task.runs)


def _warnings(task: Task, run: Run) -> tuple[str, ...]:
    notes = [f"warning: {say_failure(r)}" for r in run.results if r.status is not CheckStatus.PASSED]
    if task.is_unchecked:
        notes.append("no check exists for this task")
    if run.observation and run.observation.outside:
        paths = ", ".join(run.observation.outside[:5])
        notes.append(f"warning: changed in your own checkout while it ran, by you or by the agent: {paths}")
    return tuple(notes)


def say_failure(result: CheckResult) -> str:
    if result.status is CheckStatus.TIMED_OUT:
        return f"check '{result.name}' did not end within its time limit"
    return f"check '{result.name}' failed with code {result.code}"


def _feedback(findings: list[Finding]) -> str:
    parts = []
    for finding in findings:
        parts.append(f"- {finding.text}")
        if finding.detail:
            parts.append(_indent(finding.detail))
    return "\n".join(parts)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def session_outcome(session: Session) -> Outcome:
    """The worst outcome of the tasks that count, and of the proof on the integrated branch."""
    outcomes = [_task_outcome(task) for task in session.tasks.values() if _counts(session, task)]
    if session.tip != session.base_commit and not _is_proven(session):
        outcomes.append(Outcome.INCOMPLETE)
    return worst(outcomes)


def _counts(session: Session, task: Task) -> bool:
    """A replaced task, or a failed resolution whose task came home another way, no longer matters."""
    if task.state is TaskState.REPLACED:
        return False
    return task.resolves is None or session.tasks[task.resolves].state is not TaskState.INTEGRATED


def _task_outcome(task: Task) -> Outcome:
    if task.state in MERGED:
        return Outcome.COMPLETE
    if task.outcome is None or task.outcome is Outcome.COMPLETE:
        return Outcome.INCOMPLETE
    return task.outcome


def _is_proven(session: Session) -> bool:
    """Every check that counts has passed on the integrated branch as it stands now."""
    results = session.proof if session.proof_commit == session.tip else ()
    passed = {result.name for result in results if result.status is CheckStatus.PASSED}
    return all(check.name in passed for check in session.checks if check.on_failure is not OnFailure.WARN)
