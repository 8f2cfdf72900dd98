"""Limits of a task and of a session, and what went beyond them."""

from enum import StrEnum

from toryo.domain.facts import fact


class LimitType(StrEnum):
    FILES = "max_files"
    TESTS = "max_tests"
    SECONDS = "max_seconds"


@fact
class LimitViolation:
    """A task went beyond one of its limits; going on needs a person's word."""

    limit: LimitType
    allowed: float
    actual: float
    at: float
    needs_resolution: bool = True


class Limit(StrEnum):
    """What a budget limits."""

    TOKENS = "tokens"
    USD = "usd"
    WALL = "wall"
    RUNS = "runs"


@fact
class Budget:
    """What a session may use up before it pauses for a person; None: no limit."""

    tokens: int | None = None
    """Read and written, by agents and by models."""
    usd: float | None = None
    wall: float | None = None
    """Seconds since the session was opened, paused time left out."""
    runs: int | None = None


@fact
class Cost:
    """What was used up of a budget, or may be."""

    tokens: int = 0
    usd: float = 0.0
    runs: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.tokens + other.tokens, round(self.usd + other.usd, 9), self.runs + other.runs)
