"""The sessions that wait for their turn, and whether anybody is there to take them up."""

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain.session import short_of

_MOST_NAMED = 5


def queue_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ids of those that wait, next one first; of two that asked at the same moment, the older one."""
    waiting = [row for row in rows if row["queued_at"] is not None]
    return [row["id"] for row in sorted(waiting, key=lambda row: (row["queued_at"], row["opened_at"], row["id"]))]


def queue_words(waiting: Sequence[str], attendant: int | None) -> str:
    """Who waits, in which order; where nobody takes them up, what to do about it. Empty: nobody waits."""
    if not waiting:
        return ""
    named = ", ".join(short_of(one) for one in waiting[:_MOST_NAMED])
    named += f" and {len(waiting) - _MOST_NAMED} more" if len(waiting) > _MOST_NAMED else ""
    queued = f"queued: {named}"
    if attendant is not None:
        return queued
    first = short_of(waiting[0])
    return f"{queued}, and nobody takes them up: toryo conduct --detach, or toryo stop {first} takes one out"


def turn_words(before: int) -> str:
    """After how many others its turn comes; empty: at once."""
    return f", after {before} other{'s' if before > 1 else ''}" if before else ""
