"""What landing needs from the world: the branch it lands on, the remote repository, and where pull requests live."""

from collections.abc import Sequence
from typing import Protocol

from toryo.domain.facts import fact
from toryo.domain.landing import Heard as Heard
from toryo.domain.landing import RequestState
from toryo.ports.git import Point, Seat


class Held(Exception):
    """It cannot go on until a person acts; nothing was changed. `hint` says what would help."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


class ForgeFailed(Exception):
    """The forge did not answer as it should; it may pass by itself."""


class Target(Protocol):
    """The local branch that is landed on; the person's own, so it is only ever moved forward, and seldom."""

    async def look(self, branch: str) -> str:
        """The commit it stands at; raises Held if it is gone."""

    async def stands(self, branch: str) -> str:
        """The commit some branch stands at; empty: there is none such."""

    async def point(self, commit: str) -> Point: ...

    async def contains(self, commit: str, ancestor: str) -> bool:
        """Whether the one has the other in its history, or is it."""

    async def says(self, commit: str) -> tuple[tuple[str, ...], str]:
        """The commit's parents, and its message."""

    async def news(self, since: str, commit: str, most: int) -> tuple[str, ...]:
        """What came after `since`, latest first: id and subject."""

    async def update(self, seat: Seat, tip: Point, onto: str, message: str) -> Point:
        """Merges `onto` into the session's branch; raises Conflict having undone it. Done already: where that led."""

    async def replay(self, seat: Seat, tip: Point, *, ground: str, onto: str, message: str) -> Point:
        """Puts what changed from `ground` to `tip` on top of `onto` instead, as one commit.

        For a history that was rewritten. The session's branch goes there; where it stood stays reachable.
        Raises Conflict, having changed nothing.
        """

    async def landed(self, branch: str, since: str, tree: str, mark: str) -> tuple[str, str] | None:
        """The commit of these files on the branch whose message has this line, and what it was put on; None: none."""

    async def merge_commit(self, onto: str, tip: str, tree: str, message: str, *, squash: bool) -> str:
        """A commit with these files on top of `onto`; of `tip` too, unless squashed. Moves nothing."""

    async def move(self, branch: str, *, before: str, commit: str) -> bool:
        """Moves it, and the checkout where it is checked out; False if it stands elsewhere by now.

        Raises Held where somebody's uncommitted changes are in the way.
        """

    async def move_back(self, branch: str, *, before: str, commit: str) -> bool:
        """From `commit` back to `before`, under the same terms."""


@fact
class Going:
    """A branch that may go: it must still stand at this commit, which `kept_as` keeps reachable where it is given."""

    seat: Seat
    commit: str
    kept_as: str = ""


class Clearing(Protocol):
    """Letting go of branches and worktrees whose work is proven to be elsewhere; never by force."""

    async def let_go(self, going: Sequence[Going]) -> tuple[tuple[str, str], ...]:
        """Those that stay, and why. What is gone already is no trouble."""


@fact
class Impact:
    """What a branch changes, compared with the one it is to be merged into."""

    paths: tuple[str, ...]
    added: int
    removed: int
    """Lines; those of binary files count for nothing."""


class Remote(Protocol):
    """The remote repository. Nothing is ever forced."""

    async def fetch(self, branch: str) -> str:
        """The commit the remote's branch stands at, with all its history here; empty: it has none such."""

    async def push(self, branch: str, commit: str) -> None:
        """Ensures that the remote's branch stands at the commit; raises Held if it refuses."""

    async def forget(self, branch: str, commit: str) -> str:
        """Deletes the remote's branch if it still stands there. Why not; empty: it is gone."""

    async def left_out(self, branch: str) -> tuple[str, ...]:
        """What is changed where the branch is checked out and not committed: it would not be pushed."""

    async def impact(self, base: str, commit: str) -> Impact:
        """What the commit changes since it parted from the other; no paths: nothing."""

    async def holds(self, target: str, commit: str, merged_as: str = "") -> bool:
        """Whether the remote's branch has the commit, or the one that the forge says it was merged as."""


@fact
class RequestDraft:
    """A pull request to be opened."""

    head: str
    base: str
    title: str
    body: str


@fact
class Request:
    """A pull request that is there."""

    number: int
    url: str
    state: RequestState
    head: str = ""
    """The commit its head branch stood at when it was found."""


@fact
class RequestLook:
    """How a pull request stands."""

    state: RequestState
    head: str
    """The commit its head branch stands at."""
    base: str = ""
    """The branch it would be merged into."""
    merge_commit: str = ""
    is_pending: bool = False
    """Checks are still to come."""
    is_green: bool = False
    """Every check has passed and nobody's approval is missing."""
    is_conflicting: bool = False
    """It does not go together with the branch it would be merged into."""
    heard: tuple[Heard, ...] = ()


class Forge(Protocol):
    """Where pull requests live. Every method raises Held where a person has to act."""

    async def ready(self) -> None:
        """Raises Held if its program is missing, nobody is logged in, or it does not know the repository."""

    async def own_issue(self, url: str) -> int:
        """The number of the issue at this address, if it is one of this repository; else 0."""

    async def find(self, head: str) -> Request | None:
        """The latest request of this head branch, whatever its state."""

    async def open(self, draft: RequestDraft) -> Request: ...

    async def look(self, number: int) -> RequestLook: ...

    async def merge(self, number: int, *, head: str, squash: bool) -> None:
        """Merges it, if its head still stands at this commit."""

    async def retarget(self, number: int, base: str) -> None:
        """Asks for it to be merged into another branch."""

    async def close(self, number: int) -> None: ...

    async def log_of(self, link: str) -> str:
        """What a failed check printed, where its link leads to that; empty: it cannot be had."""
