"""Who may change which files while tasks run side by side."""

from enum import StrEnum

from toryo.domain.facts import fact


class LockType(StrEnum):
    READ = "READ"
    WRITE = "WRITE"


@fact
class FileLock:
    """A task at work holds one for each path of its scope; derived from what is live, so it cannot be left behind."""

    path: str
    task: int
    run: str
    since: float
    type: LockType
    expected_until: float
    """When its run would be ended at the latest; only information, nothing is released by a clock."""
