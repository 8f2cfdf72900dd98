"""A person asked for something impossible: what happened, what was kept, what to do."""

from enum import IntEnum


class Exit(IntEnum):
    COMPLETE = 0
    ERROR = 1
    NOT_COMPLETE = 2
    USAGE = 64
    MISSING = 69
    FAULT = 70
    REFUSED = 73
    BUSY = 75
    INTERRUPTED = 130


class ToryoError(Exception):
    """Shown as at most three lines: error, what was kept, hint."""

    def __init__(
        self, code: str, message: str, *, hint: str = "", kept: str = "", exit_code: Exit = Exit.USAGE
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.kept = kept
        self.exit_code = exit_code
        self.details: tuple[str, ...] = ()

    def with_details(self, lines: list[str]) -> "ToryoError":
        """The same error with one line per thing that is wrong."""
        self.details = tuple(lines)
        return self


class Clash(Exception):
    """Somebody else appended to the journal first: read again, decide again."""


class GitFailed(Exception):
    """A git command failed that should not have; our machinery, not the agent's work."""
