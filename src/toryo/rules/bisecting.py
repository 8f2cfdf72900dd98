"""Which merge broke the whole: found by looking at few steps of the branch, and believed only if seen twice."""

from toryo.domain.evidence import CheckStatus
from toryo.domain.facts import fact
from toryo.domain.inquiry import Look, Merge
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.rules.wholeness import counting_failures


@fact
class LookAt:
    """Not known yet: these checks have to run there."""

    step: Merge
    checks: tuple[str, ...]


@fact
class Culprit:
    """The checks pass before its merge and fail after it."""

    merge: Merge
    before: Merge
    checks: tuple[str, ...]


@fact
class Nobody:
    """No task can be blamed, and why."""

    why: str


Finding = LookAt | Culprit | Nobody


def find_culprit(session: Session) -> Finding | None:
    """The next step on the way to the culprit; None: there is nothing to look for."""
    failed = counting_failures(session)
    steps = [Merge(session.base_commit, session.base_tree), *session.merges.values()]
    if not failed or len(steps) < 2 or steps[-1].commit != session.tip:
        return None
    if _is_given_away(session):
        return Nobody("others may have its commits by now, so none of them is taken back")
    if not _looks(session, session.tip):
        return LookAt(steps[-1], failed)
    if not (first := _looks(session, session.base_commit)):
        return LookAt(steps[0], failed)
    suspected = tuple(name for name in failed if _passes(first[0], (name,)))
    if not suspected:
        return Nobody(f"{_named(failed)} already on {session.base_branch}, where the session began")
    return _between(session, steps, suspected)


def _between(session: Session, steps: list[Merge], checks: tuple[str, ...]) -> Finding:
    """Halves what is left until one merge is; then both of its sides are looked at once more."""
    good, bad = 0, len(steps) - 1
    while bad - good > 1:
        middle = (good + bad) // 2
        seen = _looks(session, steps[middle].commit)
        if not seen:
            return LookAt(steps[middle], checks)
        good, bad = (middle, bad) if _passes(seen[0], checks) else (good, middle)
    for place, should_pass in ((bad, False), (good, True)):
        seen = _looks(session, steps[place].commit)
        # The tip was seen when it was proven, too.
        if len(seen) < (1 if place == len(steps) - 1 else 2):
            return LookAt(steps[place], checks)
        if any(_passes(look, checks) is not should_pass for look in seen):
            return Nobody(f"{_quoted(checks)} cannot be relied on: on the same files it passed and failed")
    if steps[bad].task is None:
        return Nobody(f"{_named(checks)} since it was brought up to date")
    return Culprit(steps[bad], steps[good], checks)


def _is_given_away(session: Session) -> bool:
    landing = session.landing
    return landing is not None and (landing.last is not None or any(request.pushed for request in landing.requests))


def _looks(session: Session, commit: str) -> list[Look]:
    return [look for look in session.looks if look.commit == commit]


def _passes(look: Look, checks: tuple[str, ...]) -> bool:
    passed = {result.name for result in look.results if result.status is CheckStatus.PASSED}
    return passed.issuperset(checks)


def _named(checks: tuple[str, ...]) -> str:
    return f"{_quoted(checks)} fail{'s' if len(checks) == 1 else ''}"


def _quoted(checks: tuple[str, ...]) -> str:
    return ("check " if len(checks) == 1 else "checks ") + ", ".join(f"'{name}'" for name in checks)


# ── what becomes of the others ───────────────────────────────────────────────


@fact
class Fallout:
    """Whom it concerns that a merge and all behind it are taken back."""

    culprit: int
    again: tuple[int, ...]
    anew: tuple[int, ...]
    dropped: tuple[int, ...]


def fallout_of(session: Session, merge: Merge) -> Fallout:
    """A settled conflict is the fault of the task it was settled for; what builds on it has to be done anew."""
    assert merge.task is not None
    steps = list(session.merges.values())
    gone = steps[steps.index(merge) :]
    culprit = _settled_for(session, merge.task)
    anew = _builders(session, culprit, frozenset(step.commit for step in gone))
    merged = [step.task for step in gone if step.task is not None]
    dropped = tuple(number for number in merged if session.tasks[number].resolves is not None)
    again = tuple(dict.fromkeys(_settled_for(session, number) for number in merged))
    return Fallout(
        culprit,
        tuple(number for number in again if number != culprit and number not in anew),
        tuple(sorted(anew)),
        dropped,
    )


def _settled_for(session: Session, number: int) -> int:
    task = session.tasks[number]
    return number if task.resolves is None else task.resolves


def _builders(session: Session, culprit: int, gone: frozenset[str]) -> frozenset[int]:
    """Those whose files began with the culprit's: they depend on it, or were begun from the branch that had it."""
    begun = [task for task in session.tasks.values() if task.base in gone and task.resolves is None]
    ahead, found = [culprit, *(task.number for task in begun)], set[int]()
    while ahead:
        number = ahead.pop()
        if number not in found:
            found.add(number)
            ahead += session.dependents.get(number, ())
    return frozenset(number for number in found if number != culprit and _has_begun(session.tasks[number]))


def _has_begun(task: Task) -> bool:
    """It has something to lose: files of its own, or the finding that it needs none."""
    if task.state in (TaskState.REPLACED, TaskState.CANCELLED):
        return False
    return bool(task.base) or task.state in MERGED
