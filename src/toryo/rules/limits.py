"""The limits of a task: what went beyond them, and what a person's word allows from then on."""

from toryo.domain.changing import changed
from toryo.domain.limits import LimitType, LimitViolation
from toryo.domain.plan import Limits, PlannedTask, Terms
from toryo.domain.run import EndedBy, Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason
from toryo.rules.durations import say_duration
from toryo.rules.kinds import checks_for


def seconds_allowed(task: Task, terms: Terms) -> float:
    return task.plan.limits.seconds or terms.time_limit


def checks_run(task: Task) -> int:
    """Over all its runs."""
    return sum(len(run.results) for run in task.runs)


def may_check(task: Task) -> bool:
    limit = task.plan.limits.tests
    return limit is None or checks_run(task) < limit


def too_long(task: Task, run: Run, terms: Terms) -> LimitViolation | None:
    if run.ended_by is not EndedBy.TIME_LIMIT:
        return None
    ended = run.ended_at or run.planned_at
    took = ended - (run.started_at or run.planned_at)
    return LimitViolation(LimitType.SECONDS, seconds_allowed(task, terms), round(took, 3), ended)


def too_many_files(task: Task, run: Run) -> LimitViolation | None:
    limit = task.plan.limits.files
    changes = len(run.observation.changes) if run.observation else 0
    if limit is None or changes <= limit:
        return None
    return LimitViolation(LimitType.FILES, limit, changes, run.ended_at or run.planned_at)


def too_many_tests(task: Task, run: Run) -> LimitViolation | None:
    """More checks would have to run than may; `actual` counts those that were not let."""
    limit = task.plan.limits.tests
    done = {result.name for result in run.results}
    waiting = sum(check.name not in done for check in checks_for(task, run))
    if limit is None or may_check(task) or not waiting:
        return None
    return LimitViolation(LimitType.TESTS, limit, checks_run(task) + waiting, run.ended_at or run.planned_at)


def say_violation(violation: LimitViolation) -> str:
    allowed, actual = violation.allowed, violation.actual
    match violation.limit:
        case LimitType.FILES:
            return f"{actual:g} files changed, {actual - allowed:g} over the limit of {allowed:g}"
        case LimitType.TESTS:
            return f"{actual:g} check runs needed, the limit of {allowed:g} is used up"
        case LimitType.SECONDS:
            return f"the run was ended at its time limit of {say_duration(allowed)}"


def violations_of(session: Session) -> list[tuple[Task, LimitViolation]]:
    """Every limit that was gone beyond in the session, task by task."""
    return [(task, violation) for task in session.tasks.values() for violation in task.violations]


def settled(violations: tuple[LimitViolation, ...]) -> tuple[LimitViolation, ...]:
    """The same, after a person has decided about them."""
    return tuple(changed(violation, needs_resolution=False) for violation in violations)


def let_beyond(task: Task) -> PlannedTask:
    """The plan after a person's yes: this very work may pass, and as much again as was allowed may be used up."""
    limits = task.plan.limits
    run = task.runs[-1]
    found = {violation.limit for violation in run.verdict.violations} if run.verdict else set()
    if not found and task.block_reason is BlockReason.LIMIT:
        return changed(task.plan, limits=Limits())  # stopped by a Toryo that did not yet say which limit it was
    if LimitType.FILES in found and run.observation:
        limits = changed(limits, files=len(run.observation.changes))
    if LimitType.TESTS in found and limits.tests is not None:
        limits = changed(limits, tests=checks_run(task) + limits.tests)
    return changed(task.plan, limits=limits)
