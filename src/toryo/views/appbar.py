"""How everything stands, in one line for a screen that stays open."""

import math

from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.views.moments import clock_time
from toryo.views.tidings import bar_words

_RESUME = "Enter in agent mode goes on"


def appbar_words(session: Session | None, queued: int, *, is_conducted: bool, now: float) -> list[str]:
    """Session, queue, calls and tokens as everywhere; then agents at work, until when they pause, and money."""
    words = bar_words(session, queued, is_conducted=is_conducted, now=now, resume=_RESUME)
    if session is None:
        return words
    parts = []
    if running := session.count(TaskState.RUNNING):
        parts.append(f"{running} agent{'s' if running > 1 else ''} at work")
    until = max((one.until for one in session.pauses.values() if now < one.until < math.inf), default=0.0)
    if until and "paused until" not in words[1]:  # which says it where nothing more important goes on
        parts.append(f"paused until {clock_time(until)}")
    if usd := session.usage.usd + session.call_usage.usd:
        parts.append(f"${usd:.2f}")
    return [*words[:2], *parts, *words[2:]]
