"""Moments as people's files write them: UTC, with thousandths where there are any."""

import math
from datetime import UTC, datetime


def moment(at: float) -> str:
    """2025-02-22T10:00:00Z, or 2025-02-22T10:00:00.250Z: whoever came first in a second is known by it."""
    text = datetime.fromtimestamp(round(at, 3), UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    return f"{text.removesuffix('.000')}Z"


def instant(text: str) -> float:
    """Of a date, with or without a time or an offset; raises ValueError. Without an offset it is UTC."""
    found = datetime.fromisoformat(text.strip())
    try:
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).timestamp()
    except OverflowError as error:  # in the first or the last hours that there are
        raise ValueError(str(error)) from error


def in_a_row(count: int, now: float) -> list[float]:
    """So many moments that files tell apart, in the order in which they come; none of them is still to come."""
    last = math.floor(now * 1000)
    return [(last - back) / 1000 for back in range(count - 1, -1, -1)]
