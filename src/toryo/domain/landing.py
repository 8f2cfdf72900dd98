"""Bringing a session's result home: to the branch it began from, or as pull requests."""

from enum import StrEnum

from toryo.domain.facts import fact

MOST_ROUNDS = 3
"""How often what a pull request came back with is made into tasks before a person has to look."""


class LandingMode(StrEnum):
    BRANCH = "branch"
    """The result stays on its branch, and the person is told how to land it."""
    MERGE = "merge"
    PR = "pr"
    PR_PER_TASK = "pr-per-task"

    @property
    def has_requests(self) -> bool:
        return self in (LandingMode.PR, LandingMode.PR_PER_TASK)


class RequestState(StrEnum):
    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


@fact
class PullRequest:
    """One pull request, found again by its head branch."""

    branch: str
    base: str
    """The branch it is to be merged into."""
    task: int | None = None
    """The task it brings home; None: the session as a whole."""
    pushed: str = ""
    """The commit that was last pushed; empty: none yet."""
    number: int = 0
    """0: it is not opened yet."""
    url: str = ""
    state: RequestState = RequestState.OPEN
    heard: tuple[str, ...] = ()
    """What it came back with and was taken up or shown already, by id."""
    merged_as: str = ""
    """The commit that the forge says it was merged as."""


@fact
class Heard:
    """Something a pull request came back with: a check that failed, or what somebody asks for."""

    id: str
    kind: str
    """`check` or `comment`."""
    title: str
    text: str
    by: str = ""
    """Who said it; of a check, where more about it is."""
    is_trusted: bool = True
    """Who said it may write to the repository; else it is shown, and no agent is told."""


@fact
class Landing:
    """How the session's result is brought home, and how far that has come."""

    mode: LandingMode
    target: str
    """The branch it is landed on."""
    squash: bool = False
    when_green: bool = False
    """Toryo merges the pull request itself once everything about it is green."""
    is_partial: bool = False
    """A person wants what is merged so far landed, though not everything is complete."""
    by: str = ""
    onto: str = ""
    """The target's commit that the session's branch was last seen to contain; empty: not looked yet."""
    updated: str = ""
    """The session's commit that was seen to contain it."""
    requests: tuple[PullRequest, ...] = ()
    rounds: int = 0
    """How often what came back was made into tasks."""
    before: str = ""
    """Where the target stood before it was landed on."""
    commit: str = ""
    """Where it stood afterwards; empty: not landed."""
    tip: str = ""
    """What of the session's branch was landed."""
    tasks: tuple[int, ...] = ()
    """Whose work was landed with it."""
    landed_at: float = 0.0
    earlier: tuple["Landing", ...] = ()
    """What was landed of the session before, oldest first; these have none of their own."""

    @property
    def is_over(self) -> bool:
        return bool(self.landed_at)

    @property
    def last(self) -> "Landing | None":
        """What is landed by now: this, or while it is only under way, the one before."""
        return self if self.is_over else next(reversed(self.earlier), None)
