"""What happens when the integrated result is red though each task was green."""

from toryo.domain.event import Event, TaskEvent
from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import fact


@fact
class MergeBisected(Event):
    """The checks that failed on the integrated branch ran on one of the steps that led there."""

    commit: str
    tree: str
    results: tuple[CheckResult, ...]
    evidence: tuple[Evidence, ...] = ()


@fact
class CulpritParked(TaskEvent):
    """The checks pass before the task's merge and fail after it: the branch goes back to before, without the task."""

    merge: str
    """What brought it in."""
    commit: str
    tree: str
    """Where the branch goes back to."""
    again: tuple[int, ...] = ()
    """Merged after it, and without it in their history: they are merged again as they are."""
    anew: tuple[int, ...] = ()
    """They build on it: they have to be done anew."""
    dropped: tuple[int, ...] = ()
    """Conflicts were settled by these; whether there still are any is to be seen."""
    feedback: str = ""
    evidence: tuple[Evidence, ...] = ()


@fact
class MergesTakenBack(Event):
    """The session's branch stands in git where the session says it does; what it had before is kept under a ref."""

    commit: str
    kept: str
