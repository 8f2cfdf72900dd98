"""What the way of an intent makes of the tasks that a model planned for it."""

from collections.abc import Collection, Iterable, Mapping

from toryo.domain.changing import changed
from toryo.domain.plan import Check, PlannedTask, TaskType, Terms
from toryo.domain.session import Session
from toryo.rules.flows import DOCUMENT, FILE, INVESTIGATE, KEEP_TESTS, ONLY_TESTS, REPRODUCE, has_step

TEST_FILES = (
    *("test/**", "tests/**", "__tests__/**", "spec/**", "e2e/**", "testing/**"),
    *("**/test/**", "**/tests/**", "**/__tests__/**", "**/spec/**", "**/e2e/**", "**/testing/**"),
    *("**/test_*", "**/test-*", "**/*_test.*", "**/*-test.*", "**/*.test.*", "**/*_spec.*", "**/*.spec.*"),
    *("**/*Test.*", "**/*Tests.*", "**/*Spec.*", "**/conftest.py", "**/fixtures/**", "**/testdata/**"),
)
_FIRST = "T000"


def tasks_for_proposal(session: Session, tasks: tuple[PlannedTask, ...], audit: str = "") -> tuple[PlannedTask, ...]:
    """The tasks of a plan as they are proposed: with the session's checks and limits, and in the way of its intent.

    `audit` is what every task of an audit has to be told.
    """
    planning, terms = session.planning, session.terms
    checks = planning.checks if planning else ()
    shaped = tuple(_shaped(session, changed(task, checks=checks, limits=terms.limits), audit) for task in tasks)
    is_addition = planning is not None and planning.kept_tasks > 0
    if has_step(session, REPRODUCE) and checks and not is_addition:
        return _after_a_failing_test(session, shaped, checks)
    return shaped


def _shaped(session: Session, task: PlannedTask, audit: str) -> PlannedTask:
    if has_step(session, INVESTIGATE):
        task = _as_kind(task, TaskType.INVESTIGATION, session.terms)
        return changed(task, description=f"{task.description.strip()}\n\n{audit}".strip(), scope=(), expect=())
    if task.type.is_read_only:
        return task
    if has_step(session, DOCUMENT):
        task = _as_kind(task, TaskType.DOCUMENTATION, session.terms)
    if has_step(session, ONLY_TESTS):
        task = changed(task, scope=TEST_FILES)
    return changed(task, keeps_tests=True) if has_step(session, KEEP_TESTS) else task


def _as_kind(task: PlannedTask, kind: TaskType, terms: Terms) -> PlannedTask:
    if task.type is kind:
        return task
    agent, model = terms.agent_for(kind, task.complexity)
    return changed(task, type=kind, agent=agent, model=model)


# ── a failing test first ─────────────────────────────────────────────────────


def _after_a_failing_test(
    session: Session, tasks: tuple[PlannedTask, ...], checks: tuple[Check, ...]
) -> tuple[PlannedTask, ...]:
    """A task that writes the test, and after it the first that changes anything, which must find it failing.

    Whatever else could begin at once waits for that one: on its own it would stand before the same failing test.
    """
    first = next((task for task in tasks if not task.type.is_read_only and not task.depends_on), None)
    if first is None:
        return tasks
    test = _failing_test(session, _free_key(session.keys, (task.key for task in tasks)), checks)
    fixes = changed(first, depends_on=(test.key,), tests_first=True)
    rest = [
        changed(task, depends_on=(first.key,)) if not task.depends_on and not task.type.is_read_only else task
        for task in tasks
    ]
    return (test, *(fixes if task.key == first.key else task for task in rest))


def _failing_test(session: Session, key: str, checks: tuple[Check, ...]) -> PlannedTask:
    agent, model = session.terms.agent_for(TaskType.IMPLEMENTATION, None)
    wanted = session.planning.instruction if session.planning else session.title
    commands = ", ".join(f"`{check.command}`" for check in checks)
    return PlannedTask(
        key,
        "A test that fails because of what is to be fixed",
        agent,
        description=(
            f"This is to be fixed, by somebody else, after you:\n\n{wanted}\n\n"
            "Write the smallest test that shows it, where and how this repository has its tests. "
            f"It has to fail with {commands} as the code is now, for that reason alone, and to pass once it is fixed. "
            "Do not fix anything, and change no code but that of tests."
        ),
        acceptance=("a new test fails because of what is described, and for no other reason",),
        limits=session.terms.limits,
        model=model,
    )


def _free_key(known: Collection[str], new: Iterable[str]) -> str:
    taken = {*known, *new}
    return next(key for key in (_FIRST, *(f"T{number:03}" for number in range(900, 10_000))) if key not in taken)


def is_audit_task(session: Session, task: PlannedTask) -> bool:
    """Its result is findings that become intents."""
    return has_step(session, FILE) and task.type is TaskType.INVESTIGATION


ABOUT_STEPS: Mapping[str, str] = {
    REPRODUCE: (
        "Before your tasks comes one that writes a failing test; Toryo adds it and sees the test fail. Plan only what "
        "fixes it: the first of your tasks has to make that test pass."
    ),
    KEEP_TESTS: (
        "Nothing that a user of the code notices may change. The tests that are there stay as they are, which Toryo "
        "looks at; new ones may be added."
    ),
    ONLY_TESTS: "Only files that hold tests may be changed, which Toryo looks at.",
    DOCUMENT: "Every task is of type `documentation`.",
    INVESTIGATE: "Every task is of type `investigation`: it reads, changes no file, and its result is what it writes.",
}
"""What whoever plans the tasks is told about the way of the intent."""
