"""What is wrong with a draft, as far as that shows without understanding it; and what that costs."""

from toryo.domain.plan import PlannedTask
from toryo.domain.planning import Draft, Score

_PENALTY = 8
_LONGEST_DESCRIPTION = 12_000
_LARGE_PLAN = 8


def structural_issues(draft: Draft, *, has_checks: bool) -> tuple[str, ...]:
    """One line for each fault."""
    issues = [issue for task in draft.tasks for issue in _of_task(task)]
    issues += _same_titles(draft.tasks)
    if not has_checks and not any(_sets_up_tests(task) for task in draft.tasks):
        issues.append("there is no way to run tests here, and no task sets one up")
    if len(draft.tasks) >= _LARGE_PLAN and all(task.depends_on for task in draft.tasks[1:]):
        issues.append("every task waits for another: what is independent should be able to run at once")
    return tuple(issues)


def _of_task(task: PlannedTask) -> list[str]:
    issues = []
    if not task.description.strip():
        issues.append(f"{task.key} has no description")
    if len(task.description) > _LONGEST_DESCRIPTION:
        issues.append(f"{task.key} is too large for one agent run: split it")
    if not task.acceptance and not task.type.is_read_only:
        issues.append(f"{task.key} has no acceptance criteria")
    return issues


def _same_titles(tasks: tuple[PlannedTask, ...]) -> list[str]:
    seen: dict[str, str] = {}
    issues = []
    for task in tasks:
        title = task.title.casefold()
        if title in seen:
            issues.append(f"{task.key} has the same title as {seen[title]}")
        seen.setdefault(title, task.key)
    return issues


def _sets_up_tests(task: PlannedTask) -> bool:
    words = f"{task.title} {task.description}".casefold()
    return any(word in words for word in ("test", "テスト"))


def scored(said: Score, issues: tuple[str, ...]) -> Score:
    """A model's points, less those for faults that it may not have seen."""
    return Score(max(0, said.points - _PENALTY * len(issues)), (*issues, *said.issues))
