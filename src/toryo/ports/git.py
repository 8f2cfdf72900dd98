"""What the engine needs of git: the crew's worktrees, the session's branch, and a look at the person's checkout."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from toryo.domain.difference import Difference
from toryo.domain.evidence import FileChange
from toryo.domain.facts import fact
from toryo.domain.integration import Found


@fact
class Point:
    """A commit and its tree."""

    commit: str
    tree: str


@fact
class Seat:
    """Where a task works: its branch, and the folder it is checked out in."""

    branch: str
    folder: str


@fact
class Leftovers:
    """What is in a worktree once everything left over is committed."""

    point: Point
    changes: tuple[FileChange, ...]
    run_changed: bool
    problems: tuple[str, ...] = ()
    difference: Difference = Difference()
    """Since the task's base, line by line."""
    diff_sha256: str = ""


@fact
class Stand:
    """Where a branch was found, other than it was left; `commit` is empty where it is gone."""

    what: Found
    commit: str = ""
    tree: str = ""


class Conflict(Exception):
    """Two lines of work do not merge; nothing was changed."""

    def __init__(self, files: tuple[str, ...]) -> None:
        super().__init__(", ".join(files))
        self.files = files


class WorktreeMissing(Exception):
    """A worktree's folder is gone."""


class Worktrees(Protocol):
    """The crew's places of work. Every method ensures, so that it can be asked again."""

    def path(self, folder: str) -> Path: ...

    def has_branch(self, branch: str) -> bool: ...

    async def create(self, seat: Seat, bases: Sequence[Point], *, adopt: bool) -> Point:
        """A worktree on the seat's branch, begun from the bases merged; where it stands. Raises Conflict.

        With `adopt` an existing branch is taken over if it holds the bases; else what it has is kept beside it.
        """

    async def bring_back(self, seat: Seat, base: Point) -> Point:
        """The worktree of a branch that was begun from `base`, with the branch as it is; where it stands."""

    async def begin_anew(self, seat: Seat, base: Point, *, keeping: str, merging: str) -> Point:
        """The seat's branch starts over from `base`; `keeping` stays reachable, `merging` is left half merged."""

    async def reopen(self, seat: Seat) -> Point:
        """Where an existing worktree stands; raises WorktreeMissing."""

    async def keep(self, folder: str, commit: str) -> str:
        """Sees to it that the commit can be found for ever; under which name."""

    async def restore(self, branch: str, commit: str) -> None:
        """Makes a branch again that is gone."""

    async def look(self, branch: str, commit: str) -> Stand | None:
        """How a branch stands that should be at the commit; None: there."""

    async def commit_leftovers(self, seat: Seat, *, base: Point, start: str, message: str, merging: str) -> Leftovers:
        """Commits whatever the run left uncommitted, then says what changed since `base`."""

    async def tidy(self, seat: Seat) -> None:
        """Takes away what is neither committed nor ignored; only where no agent has worked yet."""

    async def remove_folder(self, seat: Seat) -> str:
        """Removes the worktree if nothing in it would be lost; its branch stays. Why not; empty: removed."""

    async def forget_branches(self, branches: Sequence[str], *, merged_into: str) -> None:
        """Deletes the branches that git finds merged into the session's; the others stay."""


@fact
class Combined:
    """A merge that is not committed yet."""

    tree: str
    remembered: tuple[str, ...] = ()
    """Files in which both sides collide, settled by git as they were settled before."""


class Integration(Protocol):
    """The session's own branch: it only ever holds proven merges. Every method can be asked again."""

    async def look(self, seat: Seat, tip: Point, *, is_begun: bool, merging: str = "") -> Stand | None:
        """How the branch stands, where that is not as it was left; a merge of ours that nobody recorded is."""

    async def combine(self, seat: Seat, tip: Point, commit: str) -> Combined:
        """What the merge would hold; raises Conflict. Neither the branch nor its folder shows anything of it."""

    async def lay_out(self, seat: Seat, tip: Point, tree: str) -> None:
        """The files of that merge in the branch's folder, for those who have to look at them."""

    async def finish(self, seat: Seat, tip: Point, commit: str, tree: str, message: str) -> Point:
        """Commits the merge on the branch; where there is nothing to merge, the tip as it is."""

    async def abandon(self, seat: Seat, tip: Point, commit: str) -> None:
        """Takes a merge away that was laid out; the branch is at the tip, and its folder shows that."""

    async def show(self, seat: Seat, tip: Point) -> None:
        """Ensures the worktree is there and shows the branch as it is."""

    async def learn(self, tip: Point, work: str, result: str) -> None:
        """Remembers how the conflict of the work with what was merged was settled in the result."""

    async def forget(self, tip: Point, commit: str, files: tuple[str, ...]) -> None:
        """Forgets how these files were settled: it did not hold."""


class Retreat(Protocol):
    """The way back on the session's own branch."""

    async def look_at(self, seat: Seat, tip: Point, commit: str) -> None:
        """Shows an earlier commit in the branch's worktree; the branch itself stays where it is."""

    async def come_back(self, seat: Seat, tip: Point) -> None:
        """Shows the branch there again."""

    async def take_back(self, seat: Seat, ahead: str, tip: Point) -> str:
        """Moves the branch from the one commit to an earlier one; the name of the ref that keeps what it had."""


class Checkout(Protocol):
    """The person's own checkout."""

    async def look(self) -> Mapping[str, str]:
        """What is changed in it, by path, in a form that can be compared with a later look."""
