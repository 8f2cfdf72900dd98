"""One task at a glance and page by page: how it stands, its checks, what is proven of it."""

from collections.abc import Iterator, Mapping, Sequence

from toryo.domain.evidence import CheckResult, CheckStatus
from toryo.domain.run import PERSON, Run
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules.durations import say_duration
from toryo.rules.kinds import checks_for
from toryo.rules.limits import say_violation
from toryo.views.collisions import collisions_words
from toryo.views.criteria import Judged, Standing, criteria_of_task
from toryo.views.inbox import inbox
from toryo.views.inboxitems import Item
from toryo.views.moments import date_time
from toryo.views.records.proofs import evidence_records
from toryo.views.usage import usage_words
from toryo.views.words import outcome_words, state_words

PASSED, FAILED, OPEN = "✓", "✗", "·"
_MARKS = {CheckStatus.PASSED: PASSED, CheckStatus.NOT_RUN: OPEN}
_STANDINGS = {Standing.PROVEN: PASSED, Standing.REFUTED: FAILED, Standing.NOT_PROVEN: OPEN}
_SHORT_HASH = 12
_MOST_ARTIFACTS = 8


def duration_words(run: Run, now: float) -> str:
    """How long it took, or has taken so far."""
    if run.started_at is None:
        return ""
    return say_duration(max((run.ended_at or now) - run.started_at, 0.001))


def task_facts(session: Session, task: Task, run: Run | None, now: float) -> list[str]:
    """State, agent, run, time and money, most important first."""
    facts = [state_words(session, task)]
    if task.outcome is not None:
        facts.append(outcome_words(task))
    if run is None:
        return [*facts, task.plan.agent]
    facts.append("a person, by hand" if run.agent == PERSON else run.agent)
    facts.append(f"run {run.number} of {len(task.runs)}")
    facts += [took] if (took := duration_words(run, now)) else []
    facts += [used] if run.report and (used := usage_words(run.report.usage)) else []
    return facts


def waiting_item(session: Session, task: Task) -> Item | None:
    """What of it waits for a person; None: nothing does."""
    return next((item for item in inbox(session) if item.task == task.plan.key), None)


def waits_words(session: Session, task: Task) -> str:
    """What it waits for, in one line; empty: for nothing, or its state says so already."""
    if item := waiting_item(session, task):
        return f"waits for you ({item.what}): {' '.join(item.says.split())}"
    if collides := collisions_words(session, task):
        return f"will collide {collides}"
    return ""


# ── checks ───────────────────────────────────────────────────────────────────


def check_lines(
    session: Session, task: Task, run: Run | None, tails: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Each check that holds for the run's work: what is typed for it, what came of it, and how its output ends."""
    tails = tails or {}
    wanted = checks_for(task, run)
    results = {result.name: result for result in run.results} if run else {}
    lines = [f"before the work: {line}" for each in (run.before if run else ()) for line in _result(each)]
    for check in wanted:
        result = results.pop(check.name, None)
        lines += ["", *(_result(result) if result else [f"{OPEN} {check.name}: {_why_open(task, run)}"])]
        lines += [f"    $ {line}" for line in check.command.splitlines()]
        lines += _tail(tails.get(check.name) or (result.tail.splitlines() if result else ()))
    for result in results.values():
        lines += ["", *_result(result), *_tail(result.tail.splitlines())]
    if not lines:
        lines = ["no check holds for it: the files that it changed, and a review, have to show that it is done"]
    if session.proof and task.merge_commit:
        lines += ["", "the session's checks, on everything that is merged"]
        lines += [line for result in session.proof for line in (*_result(result), *_tail(result.tail.splitlines()))]
    return lines[1:] if lines[0] == "" else lines


def _result(result: CheckResult) -> list[str]:
    code = "" if result.code is None or result.status is CheckStatus.PASSED else f", exit code {result.code}"
    took = f" in {say_duration(max(result.seconds, 0.001))}" if result.status is not CheckStatus.NOT_RUN else ""
    return [f"{_MARKS.get(result.status, FAILED)} {result.name}: {result.status}{took}{code}"]


def _tail(lines: Sequence[str]) -> list[str]:
    return [f"    │ {line}" for line in lines]


def _why_open(task: Task, run: Run | None) -> str:
    if run is None or run.ended_at is None:
        return "will run once the agent is done"
    return "its turn comes" if task.state is TaskState.CHECKING else "did not run"


# ── evidence ─────────────────────────────────────────────────────────────────


def evidence_lines(session: Session, task: Task) -> list[str]:
    """What is proven of each criterion, what was decided, and every record of the chain behind it."""
    lines = ["CRITERIA", *(line for judged in criteria_of_task(session, task) for line in _criterion(judged))]
    if len(lines) == 1:
        lines.append("  none were given")
    lines += ["", "VERDICTS", *(_verdicts(task) or ["  none yet"])]
    if let := [*task.approvals, *map(say_violation, task.violations)]:
        lines += ["", "LET THROUGH AND EXCEEDED", *(f"  {line}" for text in let for line in text.splitlines())]
    return [*lines, "", "RECORDS", *(list(_records(task)) or ["  none yet"])]


def _criterion(judged: Judged) -> Iterator[str]:
    yield f"  {_STANDINGS[judged.status]} {judged.status}: {' '.join(judged.criterion.split())}"
    for reason in (judged.why, *judged.by):
        if reason:
            yield f"      {' '.join(reason.split())}"


def _verdicts(task: Task) -> list[str]:
    lines = []
    for run in task.runs:
        if run.verdict:
            lines.append(f"  run {run.number}: {run.verdict.outcome}, {run.verdict.disposition}")
            lines += [f"      {line}" for reason in run.verdict.reasons for line in reason.splitlines()]
        if run.review:
            lines.append(f"      review: {run.review.opinion}: {' '.join(run.review.reason.split())}".rstrip(": "))
            lines += [f"      {' '.join(issue.split())}" for issue in run.review.issues]
    return lines


def _records(task: Task) -> Iterator[str]:
    shown = zip(task.evidence, evidence_records(task), strict=True)
    for record, row in shown:
        mark = PASSED if row["integrity_validated"] else FAILED
        broken = "" if row["integrity_validated"] else "  DOES NOT MATCH: it was changed, or what was before it"
        yield f"  {mark} {date_time(record.at)}  {record.operation:<8} {record.id}{broken}"
        if record.log:
            yield f"      log {record.log}  sha256 {record.log_sha256[:_SHORT_HASH]}"
        commit = record.says("commit") or ""
        if commit:
            yield f"      commit {commit[:_SHORT_HASH]}"
        paths = [path for path in row["artifacts"] if path not in (commit, record.says("run"))]
        yield from (f"      {path}" for path in paths[:_MOST_ARTIFACTS])
        if (more := len(paths) - _MOST_ARTIFACTS) > 0:
            yield f"      … {more} more"
