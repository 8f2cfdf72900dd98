"""A session's events with the tasks they changed: what task logs, rounds and results are read from."""

from collections.abc import Iterable, Mapping

from toryo.domain import events as e
from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.evolve import evolve
from toryo.views.records.rounds import Round, Rounds


@fact
class Step:
    """One event that changed a task, with the task before (None: it is new) and after it."""

    at: float
    event: e.Event
    before: Task | None
    after: Task
    round: int
    """The number of the round in which it happened."""


@fact
class Chronicle:
    """A session told from its beginning. Times never go backwards in it, whatever the clock did."""

    session: Session
    steps: Mapping[int, tuple[Step, ...]]
    """By the task's number; every task has at least the one that planned it."""
    rounds: tuple[Round, ...]
    violated_at: float
    """When a limit was last gone beyond; 0: never."""
    continued_at: float
    """When a person last let it go on; 0: never."""


def chronicle(events: Iterable[e.Event]) -> Chronicle:
    """The journal of one session, whole."""
    session: Session | None = None
    steps: dict[int, list[Step]] = {}
    rounds = Rounds()
    now = violated = continued = 0.0
    for event in events:
        now = max(now, event.at)
        before, session = session, evolve(session, event)
        rounds.note(now, event, session)
        if before is None or session.tasks is not before.tasks:
            _note(steps, now, event, before, session, len(rounds.all))
        if isinstance(event, e.VerdictReached) and event.verdict.violations:
            violated = now
        if isinstance(event, _LETTING_GO_ON):
            continued = now
    if session is None:
        raise ValueError("a session has at least one event")
    told = {number: tuple(listed) for number, listed in steps.items()}
    return Chronicle(session, told, tuple(rounds.all), violated, continued)


_LETTING_GO_ON = (e.SessionResumed, e.TaskRetried, e.TaskApproved, e.WishAdded, e.BudgetChanged)


def _note(
    steps: dict[int, list[Step]], now: float, event: e.Event, before: Session | None, after: Session, round_: int
) -> None:
    for number in _touched(event, before, after):
        old = before.tasks[number] if before and number in before.tasks else None
        new = after.tasks[number]
        if old is None or isinstance(event, e.PlanEdited):
            steps[number] = [Step(now, event, None, new, round_)]
        elif new is not old:
            steps[number].append(Step(now, event, old, new, round_))
    if before and len(after.tasks) < len(before.tasks):
        for number in [number for number in steps if number not in after.tasks]:
            del steps[number]


def _touched(event: e.Event, before: Session | None, after: Session) -> list[int]:
    """Those whose state the event may have changed; all, where it is not about one task."""
    number = getattr(event, "task", None)
    if isinstance(event, e.CulpritParked):
        return list(after.tasks)
    if number is None or before is None or len(before.tasks) != len(after.tasks):
        return list(after.tasks)
    task = after.tasks[number]
    return [each for each in (number, task.resolves, task.resolution) if each is not None]
