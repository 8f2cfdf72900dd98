"""What a judging model said: about a run, about a task that failed, about the whole."""

from enum import StrEnum

from toryo.domain.facts import fact


class Opinion(StrEnum):
    """What a review makes of the work; it can hold work back, never wave it through."""

    APPROVED = "approved"
    REJECTED = "rejected"
    """Not there yet: the same agent goes on."""
    WRONG_WAY = "wrong way"
    """Going on would not help: the task should be planned anew."""
    SATISFIED = "already satisfied"
    """Nothing had to be done."""
    NONE = "none"
    """No usable opinion could be had."""


@fact
class Criterion:
    """What the review says about one acceptance criterion, and where it saw that."""

    text: str
    is_met: bool
    evidence: str = ""
    seen: tuple[str, ...] = ()
    """What it cites that Toryo found to be there: places, checks, quotations."""
    unseen: tuple[str, ...] = ()
    """What it cites that is not there, in words."""


@fact
class Review:
    opinion: Opinion
    reason: str = ""
    issues: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """Acceptance criteria that are not met."""
    by: str = ""
    criteria: tuple[Criterion, ...] = ()
    remarks: tuple[str, ...] = ()
    """What was wrong with the review itself, though it could be used."""


@fact
class Response:
    """What came of something a person said; tasks by number."""

    answer: str
    changed: tuple[int, ...] = ()
    cancelled: tuple[int, ...] = ()
    added: tuple[int, ...] = ()


class Remedy(StrEnum):
    """What to do about a task that failed."""

    RETRY = "retry"
    REPLACE = "replace"
    ASK = "ask"


@fact
class Judgement:
    """Whether the whole is what was asked for, on the merged work."""

    is_complete: bool
    missing: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    score: int = 0
    by: str = ""
