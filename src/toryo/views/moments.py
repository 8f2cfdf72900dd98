"""Points in time, as people read them."""

import time


def clock_time(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def date_time(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def moment_words(moment: float) -> str:
    """A time of day, with the date where it is not today's."""
    at = time.localtime(moment)
    is_today = at[:3] == time.localtime()[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", at)
