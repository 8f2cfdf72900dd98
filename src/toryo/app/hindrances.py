"""What could not begin, remembered so that it is not tried over and over while nothing has changed."""

import time
from contextlib import suppress

TRY_AGAIN_AFTER = 300.0
"""Seconds."""
EVERYTHING = ""
"""Not for a reason of one intent, but for one of the whole."""


class Hindrances:
    def __init__(self, again_after: float) -> None:
        self._again_after = again_after
        self._known: dict[str, tuple[object, float]] = {}

    def holds(self, what: str, mark: object) -> bool:
        """Whether it failed while everything that decides about it looked like this, and not long ago."""
        known, until = self._known.get(what, (None, 0.0))
        if known == mark and time.time() < until:
            return True
        with suppress(KeyError):
            del self._known[what]
        return False

    def add(self, what: str, mark: object) -> None:
        self._known[what] = (mark, time.time() + self._again_after)

    def clear(self) -> None:
        """Something could begin after all."""
        self._known.clear()

    @property
    def ends_at(self) -> float | None:
        """When the first of them may be tried again; None: there is none."""
        return min((until for _, until in self._known.values()), default=None)
