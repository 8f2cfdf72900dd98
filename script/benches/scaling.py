"""What one event costs in a session of 5,000 tasks, against one of 50."""

import time
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, ratios
from benches.synthetic import Ring
from toryo.domain.events import Event
from toryo.domain.task import TaskState
from toryo.journal.sqlite import SqliteJournal

SMALL, LARGE, LIMIT = 50, 5000, 2.0
_AT_ONCE = 500
_SMALL_SESSIONS = 20
"""One alone has too few events to tell."""

Costs = tuple[float, float]
"""Milliseconds per event: of the ring alone, and with a durable append each."""


def measure(rounds: int, folder: Path) -> Report:
    _drive(SMALL, 1, folder / "warm-up")
    small, large = in_turns(
        rounds,
        (
            lambda number: _drive(SMALL, _SMALL_SESSIONS, folder / f"small{number}"),
            lambda number: _drive(LARGE, 1, folder / f"large{number}"),
        ),
    )
    figures: list[Figure] = []
    targets = []
    for place, what in enumerate(("without the append", "with a durable append each")):
        few = Figure(f"{SMALL} tasks, {what}", tuple(costs[place] for costs in small))
        many = Figure(f"{LARGE:,} tasks, {what}", tuple(costs[place] for costs in large))
        by_round = ratios(f"ratio, {what}", many, few)
        figures += [few, many, by_round]
        targets.append(Target(f"cost per event, {what}", by_round.median, LIMIT, "×", by_round.samples))
    return Report(
        "the ring without agents (ask the playbook, admit, fold, sum up, append): mean cost of one event",
        tuple(figures),
        tuple(targets),
        (
            f"appends are timed one by one while the last {SMALL} tasks are finished; "
            "the events before are appended many at once, untimed",
            "the ring without the append turns without any journal: waiting for a disk slows down what comes after",
            "opening a session is not counted: it happens once",
        ),
    )


def _drive(tasks: int, sessions: int, folder: Path) -> Costs:
    """Runs sessions to their end, first without a journal, then again with one each."""
    folder.mkdir()
    alone, appended = Mean(), Mean()
    for _ in range(sessions):
        for _, seconds in Ring(tasks).turns():
            alone.add(seconds)
    for number in range(sessions):
        journal = SqliteJournal(folder / f"{number}.db")
        try:
            _append_all(Ring(tasks), tasks, journal, appended)
        finally:
            journal.close()
    return alone.milliseconds, appended.milliseconds


def _append_all(ring: Ring, tasks: int, journal: SqliteJournal, cost: "Mean") -> None:
    waiting: list[Event] = list(ring.opening)
    for event, seconds in ring.turns():
        waiting.append(event)
        is_last_part = ring.session.count(TaskState.INTEGRATED) > tasks - SMALL
        if is_last_part or len(waiting) >= _AT_ONCE:
            took = _append(journal, ring, waiting)
            if is_last_part and len(waiting) == 1:
                cost.add(seconds + took)
            waiting.clear()


class Mean:
    """Keeps no samples: what lies around in memory would slow down what is measured."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def add(self, seconds: float) -> None:
        self._sum += seconds
        self._count += 1

    @property
    def milliseconds(self) -> float:
        return self._sum / self._count * 1000


def _append(journal: SqliteJournal, ring: Ring, events: list[Event]) -> float:
    begun = time.perf_counter()
    journal.append(ring.session.id, ring.session.seq - len(events), events, ring.summary)
    return time.perf_counter() - begun


BENCH = Bench(3, measure)
