"""What the rules concluded about a run, and what to do next."""

from collections.abc import Iterable
from enum import StrEnum

from toryo.domain.facts import fact
from toryo.domain.limits import LimitViolation


class Outcome(StrEnum):
    """How good a result is; declared from best to worst, and the worst one present decides."""

    COMPLETE = "COMPLETE"
    INCOMPLETE = "INCOMPLETE"
    NO_EVIDENCE = "NO_EVIDENCE"
    ERROR = "ERROR"
    INVALID = "INVALID"

    @property
    def badness(self) -> int:
        return _BADNESS[self]


_BADNESS = {outcome: place for place, outcome in enumerate(Outcome)}


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """The outcome that decides. Nothing observed is no evidence, never a success."""
    return max(outcomes, key=lambda outcome: outcome.badness, default=Outcome.NO_EVIDENCE)


class Disposition(StrEnum):
    """What happens next to a task after a verdict or a refused merge."""

    ACCEPT = "accept"
    RETRY = "retry"
    BLOCK = "block"
    SKIP = "skip"
    POSTPONE = "postpone"
    """Not the work's fault: again later, and no attempt is burnt."""
    RESOLVE = "resolve"
    """Its merge conflicts: an integration task brings both sides together."""
    REDO = "redo"
    """Its merge conflicts: the same task again, from the work merged so far."""


class BlockReason(StrEnum):
    """Why a task waits for a person."""

    MAX_RETRIES = "max retries"
    CONFLICT = "conflict"
    TIMEOUT = "timeout"
    INTERACTIVE_PROMPT = "interactive prompt"
    LIMIT = "limit"
    NO_EVIDENCE = "no evidence"
    MISSING_WORKTREE = "missing worktree"
    SETUP_FAILED = "set-up failed"
    CHECK_FAILED = "check failed"
    QUOTA = "quota"
    TRANSIENT_ERROR = "transient system error"
    SYSTEM_ERROR = "system error"
    LOGIN = "not logged in"
    PROGRAM = "program missing"
    REVIEW = "rejected by the review"
    NO_REVIEW = "no review to be had"
    HYGIENE = "unclean work"
    PROTECTED = "protected files"
    TESTS_FIRST = "tests not first"
    CULPRIT = "breaks the whole"
    MANUAL = "manual"


@fact
class Verdict:
    """The rules' conclusion about one run."""

    outcome: Outcome
    disposition: Disposition
    reasons: tuple[str, ...] = ()
    feedback: str = ""
    block_reason: BlockReason | None = None
    until: float = 0.0
    """When it is worth trying again, if it was postponed."""
    violations: tuple[LimitViolation, ...] = ()
