"""Tests before the work: where a task asks for it, its checks must be there and fail before its agent starts."""

from toryo.domain.evidence import CheckResult, CheckStatus
from toryo.domain.plan import Check
from toryo.domain.task import Task
from toryo.rules.kinds import checks_for

_NOT_RUN = (126, 127)
"""A shell's codes for a command that is not there: nothing was tested."""
_NO_TESTS = {"pytest": (4, 5)}
"""Codes of programs that found no test to run."""


def next_base_check(task: Task) -> Check | None:
    """The next check to see on the files that the task starts from."""
    run = task.runs[-1]
    if not task.plan.tests_first or _has_failed(task):
        return None
    done = {result.name for result in run.before}
    return next((check for check in checks_for(task) if check.name not in done), None)


def why_not_yet(task: Task) -> str:
    """Why the agent must not start though every check was seen; empty: it may."""
    if not task.plan.tests_first or _has_failed(task):
        return ""
    before = task.runs[-1].before
    if not before:
        return "its tests should fail before the work begins, but no check runs any"
    said = ", ".join(f"check '{result.name}' {_words(task, result)}" for result in before)
    return f"its tests should fail before the work begins, but they pass already or do not exist: {said}"


def _has_failed(task: Task) -> bool:
    return any(_is_red(task, result) for run in task.runs for result in run.before)


def _is_red(task: Task, result: CheckResult) -> bool:
    if result.status is not CheckStatus.FAILED or result.code is None or result.code in _NOT_RUN:
        return False
    return result.code not in _codes_for_nothing(task, result.name)


def _codes_for_nothing(task: Task, name: str) -> tuple[int, ...]:
    command = next((check.command for check in task.plan.checks if check.name == name), "")
    return tuple(code for program, codes in _NO_TESTS.items() if program in command for code in codes)


def _words(task: Task, result: CheckResult) -> str:
    if result.status is CheckStatus.PASSED:
        return "passes"
    if result.code in _codes_for_nothing(task, result.name):
        return "finds no tests"
    return "could not be run" if result.status is CheckStatus.FAILED else str(result.status)
