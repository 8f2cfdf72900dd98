"""Times as task logs write them."""

import math
from datetime import UTC, datetime

_LAST = datetime(9999, 12, 31, 23, 59, 59, 999000, UTC)


def moment(at: float) -> str:
    """ISO 8601 in UTC, to the millisecond; what never comes is at the end of the calendar."""
    try:
        when = datetime.fromtimestamp(math.floor(at * 1000) / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        when = _LAST
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))
