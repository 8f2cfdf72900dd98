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

Costs = tuple[float, float]
"""Milliseconds per event: of the ring alone, and with a durable append each."""


def measure(rounds: int, folder: Path) -> Report:
    small, large = in_turns(
        rounds,
        (
            lambda number: _drive(SMALL, folder / f"small{number}.db"),
            lambda number: _drive(LARGE, folder / f"large{number}.db"),
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
            "opening a session is not counted: it happens once",
        ),
    )


def _drive(tasks: int, path: Path) -> Costs:
    """Runs a session to its end."""
    ring = Ring(tasks)
    journal = SqliteJournal(path)
    alone, appended = Mean(), Mean()
    waiting: list[Event] = list(ring.opening)
    try:
        for event, seconds in ring.turns():
            alone.add(seconds)
            waiting.append(event)
            is_last_part = ring.session.count(TaskState.INTEGRATED) > tasks - SMALL
            if is_last_part or len(waiting) >= _AT_ONCE:
                took = _append(journal, ring, waiting)
                if is_last_part and len(waiting) == 1:
                    appended.add(seconds + took)
                waiting.clear()
    finally:
        journal.close()
    return alone.milliseconds, appended.milliseconds


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
