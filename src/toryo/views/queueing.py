"""The sessions that are at work, those that wait for their turn, and whether anybody is there to take them up."""

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain.session import SessionState, short_of
from toryo.domain.task import TaskState

_MOST_NAMED = 5
_GOING = (SessionState.PLANNING, SessionState.EXECUTING, SessionState.CONCLUDING)


def queue_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ids of those that wait, next one first; of two that asked at the same moment, the older one."""
    waiting = [row for row in rows if row["queued_at"] is not None]
    return [row["id"] for row in sorted(waiting, key=lambda row: (row["turn"], row["opened_at"], row["id"]))]


def at_work(rows: Sequence[Mapping[str, Any]], conducted: str) -> list[str]:
    """The ids of those that are conducted, or have agents that go on without; `conducted` is empty: nobody is."""
    unfinished = [row for row in rows if row["state"] != SessionState.CLOSED]
    alone = [row["id"] for row in unfinished if row["queued_at"] is None and row["tasks"].get(TaskState.RUNNING, 0)]
    return list(dict.fromkeys([row["id"] for row in unfinished if row["id"] == conducted] + alone))


def unattended(rows: Sequence[Mapping[str, Any]], conducted: str | None) -> list[str]:
    """The ids of those that neither rest nor wait, and that nobody conducts: whoever did was killed, or left them so.

    `conducted` is None: somebody conducts, and nobody knows which.
    """
    if conducted is None:
        return []
    going = [row for row in rows if row["state"] in _GOING and not row["waits_for"] and row["queued_at"] is None]
    return [row["id"] for row in going if row["id"] != conducted]


def unattended_words(lost: Sequence[str]) -> str:
    """Which they are, and how to go on; empty: none is."""
    if not lost:
        return ""
    named = ", ".join(short_of(one) for one in lost[:_MOST_NAMED])
    return f"nobody conducts {named}; 'toryo resume {short_of(lost[0])} --detach' goes on"


def at_hand(rows: Sequence[Mapping[str, Any]], conducted: str) -> str | None:
    """What is at work; else the latest that is unfinished, those that wait for their turn after all others."""
    unfinished = [row for row in rows if row["state"] != SessionState.CLOSED]
    others = sorted(unfinished, key=lambda row: row["queued_at"] is not None)
    return next(iter((*at_work(rows, conducted), *(row["id"] for row in others))), None)


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


def watcher_words(pid: int | None) -> str:
    """Who works off intents; empty: nobody does."""
    return f"intents are watched by process {pid}; 'toryo watch --stop' ends it" if pid else ""
