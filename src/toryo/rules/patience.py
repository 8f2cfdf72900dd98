"""How long to wait before something is tried again, and when it has been tried enough."""

import math
from zlib import crc32

from toryo.domain.plan import Terms
from toryo.domain.report import Trouble
from toryo.domain.run import EndedBy, Run
from toryo.domain.task import Task
from toryo.rules.limits import seconds_allowed

ENOUGH = 5
SILENT_AFTER = 300.0
"""Seconds without a word after which nobody can say any more whether a run works."""
_FIRST, _LONGEST = 0.5, 30.0


def wait_before_retry(failures: int, spread: float = 0.0) -> float:
    """Seconds to wait after this many failures in a row; `spread` in 0..1 keeps retries apart."""
    return min(_FIRST * 2.0 ** min(max(failures - 1, 0), 16), _LONGEST) * (1.0 + 0.25 * spread)


# ── what is not ours: usage limits, and models that do not answer ────────────

_AGAIN: dict[Trouble, tuple[float, float]] = {Trouble.QUOTA: (60.0, 3600.0), Trouble.API: (5.0, 120.0)}
"""The first wait and the longest, where nobody says when it will be over."""
_STALL_LIMITS = {Trouble.QUOTA: 60.0, Trouble.API: 300.0, Trouble.LOGIN: 20.0}
"""How long an agent may try by itself before its run is ended, to be started again when that is worth it."""


_RETRIES_TELL = 45.0
"""Seconds: no agent waits longer than that between two retries without saying so."""


def wait_after(trouble: Trouble, postponements: int, spread: float = 0.0) -> float:
    """Seconds to wait after trouble of this kind, the more the more often it came in a row."""
    first, longest = _AGAIN[trouble]
    return min(first * 2.0 ** min(postponements, 16), longest) * (1.0 + 0.25 * spread)


def spread_of(run: str) -> float:
    """A number in 0..1 that stays the same for a run, and keeps those apart that failed together."""
    return crc32(run.encode()) / 0xFFFFFFFF


def longest_wait(trouble: Trouble, terms: Terms) -> float:
    """How long trouble of this kind may last before a person has to look at it."""
    return terms.quota_wait if trouble is Trouble.QUOTA else terms.api_wait


def limits_of(task: Task, terms: Terms) -> list[tuple[float, EndedBy]]:
    """When the task's run is ended if nothing changes, and as what that counts; the nearest first."""
    run = task.runs[-1]
    assert run.started_at is not None
    limits = [
        (run.started_at + seconds_allowed(task, terms), EndedBy.TIME_LIMIT),
        (_end_of_stall(run, terms), EndedBy.STALL),
        (run.waiting_since + terms.answer_time if run.question else math.inf, EndedBy.QUESTION),
    ]
    return sorted((limit for limit in limits if limit[0] < math.inf), key=lambda limit: limit[0])


def has_come_through(run: Run, now: float, quiet: float) -> bool:
    """A stalled agent tells of every retry; one that has stopped telling has most likely been heard at last."""
    return run.stall is not None and run.stall.until <= now and quiet > _RETRIES_TELL


def _end_of_stall(run: Run, terms: Terms) -> float:
    """At once where the agent itself knows that it would have to wait for longer than it may."""
    if run.stall is None or run.stall.trouble not in _STALL_LIMITS:
        return math.inf
    allowed = min(_STALL_LIMITS[run.stall.trouble], longest_wait(run.stall.trouble, terms))
    return run.stall.since if run.stall.until > run.stall.since + allowed else run.stall.since + allowed
