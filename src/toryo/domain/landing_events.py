"""What happens while a session's result is brought home."""

from toryo.domain.event import Event
from toryo.domain.evidence import Evidence
from toryo.domain.facts import fact
from toryo.domain.landing import LandingMode, RequestState
from toryo.domain.plan import PlannedTask


@fact
class LandingBegun(Event):
    """The result is to be brought home, as the configuration or a person says; again, after something came back."""

    mode: LandingMode
    target: str
    squash: bool = False
    when_green: bool = False
    is_partial: bool = False
    by: str = ""


@fact
class BroughtUpToDate(Event):
    """The session's branch contains what the target has by now; `commit` is where that left the branch."""

    onto: str
    commit: str
    tree: str
    evidence: tuple[Evidence, ...] = ()


@fact
class UpdateConflicted(Event):
    """What the target has by now does not go together with the result: a task settles that.

    `files`: where the two conflict; none: they merge, but the checks do not pass on them together.
    """

    onto: str
    files: tuple[str, ...]
    resolution: PlannedTask


@fact
class TargetMoved(Event):
    """Somebody added to the target meanwhile: the result has to be brought up to date once more."""

    commit: str


@fact
class BranchPushed(Event):
    branch: str
    base: str
    commit: str
    task: int | None = None


@fact
class RequestOpened(Event):
    """A pull request is open for the branch, newly or from an earlier try."""

    branch: str
    number: int
    url: str


@fact
class RequestSeen(Event):
    """How a pull request stands; what it came back with becomes tasks."""

    branch: str
    state: RequestState
    heard: tuple[str, ...] = ()
    """What of it is taken up now, by id."""
    tasks: tuple[PlannedTask, ...] = ()
    merged_as: str = ""
    notes: tuple[str, ...] = ()
    """What was said, for people to see."""


@fact
class Landed(Event):
    """The target holds the result; `before` is where it stood until then, where Toryo itself moved it."""

    commit: str
    before: str = ""
    evidence: tuple[Evidence, ...] = ()


@fact
class LandingUndone(Event):
    by: str
