"""Samples, figures and targets: what a bench found, in words and as data."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Figure:
    """Samples of one quantity; what is shown of them is their middle, their p99 and their spread."""

    name: str
    samples: tuple[float, ...]
    unit: str = "ms"

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def p99(self) -> float:
        """The smallest sample that at least 99 in 100 do not exceed."""
        return sorted(self.samples)[math.ceil(len(self.samples) * 0.99) - 1]

    def line(self) -> str:
        if len(self.samples) == 1:
            return f"  {self.name:44} {_say(self.samples[0])} {self.unit}"
        spread = f"{_say(min(self.samples))} … {_say(max(self.samples))}"
        tail = f", p99 {_say(self.p99)}" if len(self.samples) >= 100 else ""
        return f"  {self.name:44} {_say(self.median)} {self.unit} (of {len(self.samples)}: {spread}{tail})"

    def data(self) -> dict[str, object]:
        return {
            "name": self.name,
            "unit": self.unit,
            "samples": len(self.samples),
            "median": self.median,
            "p99": self.p99,
            "min": min(self.samples),
            "max": max(self.samples),
        }


@dataclass(frozen=True, slots=True)
class Target:
    """A number and what it should not exceed."""

    name: str
    measured: float
    limit: float
    unit: str
    rounds: tuple[float, ...] = ()
    """The same number in each round, where there is one: rounds on both sides of the limit settle nothing."""

    @property
    def holds(self) -> bool:
        return self.measured <= self.limit

    def line(self) -> str:
        verdict = "holds" if self.holds else "does not hold"
        measured, limit = f"{_say(self.measured)} {self.unit}", f"{_say(self.limit)} {self.unit}"
        doubt = ""
        if self.rounds and min(self.rounds) <= self.limit < max(self.rounds):
            doubt = f", but rounds differ: {_say(min(self.rounds))} … {_say(max(self.rounds))}"
        return f"{self.name}: {measured}, target ≤ {limit}: {verdict}{doubt}"

    def data(self) -> dict[str, object]:
        return {
            "name": self.name,
            "measured": self.measured,
            "limit": self.limit,
            "unit": self.unit,
            "holds": self.holds,
            "rounds": list(self.rounds),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All that one bench found."""

    about: str
    figures: tuple[Figure, ...]
    targets: tuple[Target, ...]
    notes: tuple[str, ...] = ()
    name: str = ""
    load: tuple[float, float] = (0.0, 0.0)

    def under(self, name: str, before: float, after: float) -> "Report":
        return replace(self, name=name, load=(before, after))

    def lines(self) -> list[str]:
        return [
            f"{self.name}: {self.about}",
            *(figure.line() for figure in self.figures),
            *(f"  → {target.line()}" for target in self.targets),
            *(f"  note: {note}" for note in self.notes),
            f"  load {self.load[0]:.1f} before, {self.load[1]:.1f} after",
        ]

    def data(self) -> dict[str, object]:
        return {
            "about": self.about,
            "figures": [figure.data() for figure in self.figures],
            "targets": [target.data() for target in self.targets],
            "notes": list(self.notes),
            "load": {"before": self.load[0], "after": self.load[1]},
        }


@dataclass(frozen=True, slots=True)
class Bench:
    """How often it repeats by itself, and what it does."""

    rounds: int
    measure: Callable[[int, Path], Report]


def ratios(name: str, of: Figure, to: Figure) -> Figure:
    """Pair by pair, as they were measured in turns, so that a slow minute counts on both sides."""
    pairs = zip(of.samples, to.samples, strict=True)
    return Figure(name, tuple(one / other for one, other in pairs), "×")


def ratio_of_medians(of: Figure, to: Figure) -> float:
    return of.median / to.median


def in_turns(rounds: int, steps: Sequence[Callable[[int], T]]) -> list[tuple[T, ...]]:
    """One, the other, one, the other, …; the results of each step together."""
    taken = [[step(number) for step in steps] for number in range(rounds)]
    return list(zip(*taken, strict=True))


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _say(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
