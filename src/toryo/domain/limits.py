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


@fact
class Budget:
    """What a session may use up before it pauses for a person; None: no limit."""

    tokens: int | None = None
    """Read and written, by agents and by models."""
    usd: float | None = None
    wall: float | None = None
    """Seconds since the session was opened, paused time left out."""
    runs: int | None = None
