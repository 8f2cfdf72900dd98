"""What speaks against a run's work, from what was observed: each finding with how bad it is."""

import re
import time

from toryo.domain.evidence import Change, CheckResult, CheckStatus
from toryo.domain.facts import fact
from toryo.domain.limits import LimitViolation
from toryo.domain.plan import OnFailure, TaskType, Terms
from toryo.domain.report import Report, Trouble
from toryo.domain.review import Opinion, Review
from toryo.domain.run import EndedBy, Observation, Run, RunState
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason, Outcome
from toryo.rules.cleanliness import hygiene_complaints, hygiene_warnings, open_protected, some
from toryo.rules.kinds import checks_for, is_documentation_only, is_unchecked
from toryo.rules.limits import say_violation, too_long, too_many_files, too_many_tests


@fact
class Finding:
    """One thing that speaks against the work; `blocks` where trying again would not help."""

    outcome: Outcome
    text: str
    blocks: BlockReason | None = None
    detail: str = ""
    left: BlockReason | None = None
    """What the task waits for if nothing but this is wrong when its attempts are used up."""


BLOCKED_AS = {
    Trouble.QUOTA: BlockReason.QUOTA,
    Trouble.API: BlockReason.TRANSIENT_ERROR,
    Trouble.LOGIN: BlockReason.LOGIN,
    Trouble.PROGRAM: BlockReason.PROGRAM,
}
ASKS = "it asks: "
"""How the reason begins why a task waits whose agent ended its turn with a question."""
_QUESTION_ENDS = ("?", "？", "ますか。", "ですか。", "しょうか。", "せんか。")
_OPTION = re.compile(r"(?:[-*•・]|\(?[0-9a-zA-Z]{1,2}[.):、])\s*\S")
NOTHING_CHANGED = "no file was created, changed or deleted"


def findings(task: Task, run: Run) -> list[Finding]:
    """Everything but the review: what failed before the checks were worth running, else what they found."""
    return findings_before_checks(task, run) or findings_from_checks(task, run)


def findings_before_checks(task: Task, run: Run) -> list[Finding]:
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
        blocks = BLOCKED_AS.get(run.report.trouble)
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
        found.append(Finding(Outcome.NO_EVIDENCE, f"{ASKS}{asked}", BlockReason.INTERACTIVE_PROMPT))
    return found


def _question_in(run: Run) -> str:
    """The question with which the agent ended its turn, with the ways to choose from that it names behind it."""
    words = run.report.last_words.strip() if run.report else ""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    options: list[str] = []
    while lines and _OPTION.match(lines[-1]) and not lines[-1].endswith(_QUESTION_ENDS):
        options.insert(0, lines.pop())
    return "\n".join([lines[-1], *options]) if lines and lines[-1].endswith(_QUESTION_ENDS) else ""


def _findings_in_files(task: Task, run: Run, seen: Observation) -> list[Finding]:
    if task.plan.type.is_read_only:
        return _findings_in_result(task, run, seen)
    if not any(change.exists != (change.change is Change.DELETED) for change in seen.changes):
        return [Finding(Outcome.NO_EVIDENCE, NOTHING_CHANGED)]
    found = []
    unclean = _findings_of_hygiene(task, seen)
    # Where earlier lines are at fault, or a person has looked at them, they are there: it is not for want of work.
    if not (seen.run_changed or checks_for(task, run) or unclean or task.permissions):
        found.append(Finding(Outcome.NO_EVIDENCE, "this run changed nothing, and no check shows the work is done"))
    if seen.missing:
        found.append(Finding(Outcome.INCOMPLETE, f"expected but not there: {', '.join(seen.missing)}"))
    if seen.out_of_scope:
        paths = ", ".join(seen.out_of_scope[:10])
        found.append(Finding(Outcome.INCOMPLETE, f"changed outside the task's scope: {paths}"))
    found.extend(Finding(Outcome.INCOMPLETE, problem) for problem in seen.problems)
    found.extend(unclean)
    if violation := too_many_files(task, run):
        found.append(Finding(Outcome.INCOMPLETE, say_violation(violation), BlockReason.LIMIT))
    return found


def _findings_of_hygiene(task: Task, seen: Observation) -> list[Finding]:
    """What does not belong in the lines that were added, but for what a person let through."""
    found = []
    for text, detail, is_grave in hygiene_complaints(task, seen):
        blocks = BlockReason.HYGIENE if is_grave else None
        found.append(Finding(Outcome.INCOMPLETE, text, blocks, detail, BlockReason.HYGIENE))
    return found


def findings_of_protection(task: Task, run: Run) -> list[Finding]:
    """Changes that a person has to see, once everything else speaks for the work."""
    waiting = open_protected(task, run.observation)
    if not waiting:
        return []
    return [Finding(Outcome.INCOMPLETE, f"waits for a person's word: {some(waiting)}", BlockReason.PROTECTED)]


def _findings_in_result(task: Task, run: Run, seen: Observation) -> list[Finding]:
    """What speaks against work that is a written result."""
    what = "a review" if task.plan.type is TaskType.REVIEW else "an investigation"
    if seen.changes:
        paths = ", ".join(change.path for change in seen.changes[:10])
        return [Finding(Outcome.INCOMPLETE, f"{what} must not change files: {paths}")]
    # What an agent with a protocol prints is not yet a result: that is what it says.
    has_spoken = run.report.last_words.strip() if run.report and run.report.tells_end else seen.output_bytes
    if not has_spoken:
        return [Finding(Outcome.NO_EVIDENCE, f"{what} has to write a result, and there is none")]
    return [Finding(Outcome.INCOMPLETE, problem) for problem in seen.problems]


def findings_from_checks(task: Task, run: Run) -> list[Finding]:
    found = []
    results = {result.name: result for result in run.results}
    violation = too_many_tests(task, run)
    for check in checks_for(task, run):
        result = results.get(check.name)
        if result is None:
            reason = BlockReason.LIMIT if violation else None
            why = f": {say_violation(violation)}" if violation else ""
            found.append(Finding(Outcome.INCOMPLETE, f"check '{check.name}' did not run{why}", reason))
        elif result.status is not CheckStatus.PASSED and check.on_failure is not OnFailure.WARN:
            blocks = BlockReason.CHECK_FAILED if check.on_failure is OnFailure.BLOCK else None
            found.append(Finding(Outcome.INCOMPLETE, say_failure(result), blocks, result.tail))
    return found


def violations(task: Task, run: Run, terms: Terms) -> tuple[LimitViolation, ...]:
    """The limits that the run went beyond."""
    stopped = too_many_tests(task, run) if not findings_before_checks(task, run) else None
    found = (too_long(task, run, terms), too_many_files(task, run), stopped)
    return tuple(violation for violation in found if violation)


def warnings(task: Task, run: Run) -> tuple[str, ...]:
    notes = [f"warning: {say_failure(r)}" for r in run.results if r.status is not CheckStatus.PASSED]
    if is_unchecked(task):
        notes.append("no check exists for this task")
    if is_documentation_only(task, run) and not checks_for(task, run):
        notes.append("documentation only: checks not needed")
    if run.observation and run.observation.outside:
        paths = ", ".join(run.observation.outside[:5])
        notes.append(f"warning: changed in your own checkout while it ran, by you or by the agent: {paths}")
    if run.observation:
        notes += hygiene_warnings(run.observation)
    return (*notes, *guessed(run))


def guessed(run: Run) -> tuple[str, ...]:
    """Where the agent only supposes that its work is right."""
    words = run.report.last_words if run.report else ""
    from toryo.rules.speculation import guesses  # patterns that are only needed once an agent has spoken

    return tuple(f"warning: the agent is guessing: {sentence}" for sentence in guesses(words))


def say_failure(result: CheckResult) -> str:
    if result.status is CheckStatus.TIMED_OUT:
        return f"check '{result.name}' did not end within its time limit"
    return f"check '{result.name}' failed with code {result.code}"


def findings_of_review(run: Run) -> list[Finding]:
    """A model's opinion can only hold work back."""
    review = run.review
    if review is None:
        return [Finding(Outcome.NO_EVIDENCE, "nobody reviewed it", BlockReason.NO_REVIEW)]
    match review.opinion:
        case Opinion.APPROVED if unmet := [one.text for one in review.criteria if not one.is_met]:
            return [Finding(Outcome.INCOMPLETE, f"review: not met: {'; '.join(unmet)}", None, _details(review))]
        case Opinion.APPROVED:
            return []
        case Opinion.NONE:
            return [Finding(Outcome.NO_EVIDENCE, f"no review could be had: {review.reason}", BlockReason.NO_REVIEW)]
        case Opinion.SATISFIED:
            return [Finding(Outcome.INCOMPLETE, f"the review finds that nothing had to be changed: {review.reason}")]
        case Opinion.WRONG_WAY:
            return [Finding(Outcome.INCOMPLETE, f"review: {review.reason}", BlockReason.REVIEW, _details(review))]
        case Opinion.REJECTED:
            return [Finding(Outcome.INCOMPLETE, f"review: {review.reason}", None, _details(review))]


def _details(review: Review) -> str:
    parts = [f"not met: {text}" for text in review.missing] + list(review.issues)
    return "\n".join([*parts, *(f"suggestion: {text}" for text in review.suggestions)])


def is_untouched(task: Task, run: Run) -> bool:
    """The agent ended well and changed nothing: perhaps nothing had to be done, where checks can confirm it."""
    found = findings_before_checks(task, run)
    return bool(checks_for(task, run)) and [finding.text for finding in found] == [NOTHING_CHANGED]


def say_trouble(report: Report) -> str:
    return f"{report.trouble}: {report.message}" if report.message else str(report.trouble)


def _say_trouble_and_end(report: Report) -> str:
    until = time.strftime(" (until %Y-%m-%d %H:%M UTC)", time.gmtime(report.until)) if report.until else ""
    return say_trouble(report) + until


def feedback_of(findings: list[Finding]) -> str:
    parts = []
    for finding in findings:
        parts.append(f"- {finding.text}")
        if finding.detail:
            parts.append(_indent(finding.detail))
    return "\n".join(parts)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
