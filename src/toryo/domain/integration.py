"""What others did to the branches of a session, as far as Toryo noticed."""

from enum import StrEnum

from toryo.domain.facts import fact


class Found(StrEnum):
    """How a branch was found that is not where Toryo left it."""

    GONE = "gone"
    """Somebody deleted it; it was made again where it stood."""
    AHEAD = "ahead"
    """Somebody added commits to it."""
    ELSEWHERE = "elsewhere"
    """Somebody rewound or rewrote it: what Toryo left there is no longer in it."""


@fact
class Noticed:
    """A branch that was not where Toryo had left it."""

    what: Found
    branch: str
    tip: str
    """Where Toryo had left it."""
    commit: str
    """Where it was found; empty: nowhere."""
    at: float
