"""Lengths of time as people write and read them."""

import math
import re

UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
LONGEST = 366 * UNITS["d"]
MOST_CHARACTERS = 60
PATTERN = r"[0-9]+(?:\.[0-9]+)?"
DURATION_PATTERN = (
    rf"^ *(?:{PATTERN}|(?=[0-9])(?:{PATTERN} *d *)?(?:{PATTERN} *h *)?(?:{PATTERN} *m *)?(?:{PATTERN} *s *)?"
    rf"(?:{PATTERN} *ms *)?) *$"
)
"""The rule, fit for JSON Schema too: units from days to milliseconds in this order, or bare seconds."""

_SHAPE = re.compile(DURATION_PATTERN)
_PART = re.compile(rf"({PATTERN}) *(ms|[dhms])")


def parse_duration(text: str) -> float:
    """Seconds from "1h30m", "90s", "340ms" or "90"; ValueError on anything else, zero included."""
    if len(text) > MOST_CHARACTERS or not _SHAPE.fullmatch(text):
        raise ValueError(f"'{text[:MOST_CHARACTERS]}' is not a length of time; write it like 90s, 10m or 1h30m")
    parts = _PART.findall(text)
    seconds = sum(float(number) * UNITS[unit] for number, unit in parts) if parts else float(text)
    return checked_seconds(seconds)


def checked_seconds(seconds: float) -> float:
    """The same number, if it is a length of time that one can wait for."""
    if seconds > LONGEST or not math.isfinite(seconds):
        raise ValueError("a length of time should not be longer than a year")
    if seconds <= 0:
        raise ValueError("a length of time should be more than zero")
    return float(seconds)


def say_duration(seconds: float) -> str:
    """The two largest units that matter: 340ms, 4.2s, 1m 04s, 2h 05m, 1d 02h."""
    if seconds <= 0:
        return "0s"
    if seconds < 0.9995:
        return f"{round(seconds * 1000)}ms" if seconds >= 0.0005 else "<1ms"
    if seconds < 9.95:
        return f"{seconds:.1f}s".replace(".0s", "s")
    if (whole := round(seconds)) < 3600:
        return f"{whole}s" if whole < 60 else f"{whole // 60}m {whole % 60:02}s"
    if (minutes := round(seconds / 60)) < 24 * 60:
        return f"{minutes // 60}h {minutes % 60:02}m"
    hours = round(seconds / 3600)
    return f"{hours // 24}d {hours % 24:02}h"
