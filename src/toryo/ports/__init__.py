"""What the engine needs from the world, as small protocols."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

from toryo.domain.difference import Difference
from toryo.domain.events import Event
from toryo.domain.evidence import FileChange
from toryo.domain.facts import fact
from toryo.domain.integration import Found
from toryo.domain.run import Mode
from toryo.domain.signals import Signal
from toryo.ports.foresight import Foresight as Foresight
from toryo.ports.foresight import Picture as Picture
from toryo.ports.foresight import Sight as Sight
from toryo.ports.landing import Clearing as Clearing
from toryo.ports.landing import Forge as Forge
from toryo.ports.landing import ForgeFailed as ForgeFailed
from toryo.ports.landing import Going as Going
from toryo.ports.landing import Heard as Heard
from toryo.ports.landing import Held as Held
from toryo.ports.landing import Impact as Impact
from toryo.ports.landing import Remote as Remote
from toryo.ports.landing import Request as Request
from toryo.ports.landing import RequestDraft as RequestDraft
from toryo.ports.landing import RequestLook as RequestLook
from toryo.ports.landing import Target as Target
from toryo.ports.parsing import Parsers as Parsers
from toryo.ports.planning import Desk as Desk
from toryo.ports.planning import Model as Model
from toryo.ports.planning import Surveyed as Surveyed


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""

    async def sleep_until(self, moment: float) -> None: ...


# ── journal ──────────────────────────────────────────────────────────────────


class Journal(Protocol):
    def append(self, stream: str, after: int, events: Sequence[Event], summary: Mapping[str, object]) -> None:
        """Durably adds events as after+1, after+2, …; raises Clash if that place is taken."""

    def read(self, stream: str, after: int = 0) -> list[tuple[int, Event]]: ...

    def change_mark(self) -> int:
        """A number that changes whenever another process wrote."""


# ── processes ────────────────────────────────────────────────────────────────


@fact
class Launch:
    """A process to be wrapped: its record directory is its identity, and is started at most once."""

    directory: Path
    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: Path | None = None
    screen: "Screen | None" = None
    """Where people can watch it; None: nowhere, as for a check."""


@fact
class Screen:
    """The window of a run, for hosts that have windows."""

    session: str
    """The name of the group of windows, one per Toryo session."""
    title: str
    shows: Path | None
    """The file that tells what the run does; None: the run is interactive and the window is its terminal."""
    types: Path | None = None
    """A prompt to be typed into the terminal, once, for programs that take it no other way."""
    ready: str = ""
    """What the terminal shows when the program can take that prompt."""


@fact
class Ended:
    """The exit record; `code` is 128 + n after signal n, `reaped` counts processes that had to be ended too."""

    code: int
    at: float
    reaped: int = 0


class Host(Protocol):
    """Where a run's process lives. Starting twice is starting once; records outlive the caller."""

    async def start(self, launch: Launch) -> int:
        """Ensures the process was started; the pid of its wrapper."""

    async def wait(self, directory: Path) -> Ended | None:
        """Waits for the end and ends what the process left behind; None: it is gone without a record."""

    def has_ended(self, directory: Path) -> bool:
        """Whether an exit record is there already."""

    async def stop(self, directory: Path, grace: float) -> Ended | None:
        """Ends the whole process tree: asks, waits for the grace period, then kills."""

    async def mask_record(self, directory: Path) -> None:
        """Replaces what an ended process wrote by its masked form; done again, it changes nothing."""

    def follow(self, files: Sequence[Path]) -> AsyncGenerator[Sequence[str], None]:
        """What the files hold and what is added to them, in batches of whole lines; until cancelled.

        An empty batch says that nothing more is there at the moment.
        """


# ── agents ───────────────────────────────────────────────────────────────────


@fact
class Errand:
    """What an agent is sent to do, once."""

    task_key: str
    attempt: int
    command: str
    conversation: str
    is_first: bool
    """Nothing was said in this conversation before."""
    directory: Path
    worktree: Path
    root: Path
    """The main checkout."""
    prompt: str

    @property
    def store(self) -> Path:
        """Toryo's own folder of the repository."""
        return self.directory.parent.parent

    @property
    def prompt_file(self) -> Path:
        return self.directory / "prompt.md"

    @property
    def signals(self) -> Path:
        """Where hooks and the agent itself can leave a line for Toryo; `$TORYO_SIGNALS` for the agent."""
        return self.directory / "signals.jsonl"


@fact
class Invocation:
    """How an agent's program is started for one errand."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    reads_prompt_from_stdin: bool = False
    files: Mapping[Path, str] = field(default_factory=dict)
    """Files it needs; 0600, in folders 0700."""
    links: Mapping[Path, Path] = field(default_factory=dict)
    """Symbolic links it needs, and where they lead."""
    ready: str = ""
    """The prompt has to be typed in once the program's screen shows this; empty: it went in some other way."""


@fact
class Abilities:
    """What can be expected of an agent."""

    modes: tuple[Mode, ...] = (Mode.HEADLESS,)
    has_protocol: bool = False
    """Its output is meant for programs and has to be put into words for people."""
    tells_limits: bool = False
    """Its output has to be read while it works, though it is meant for people."""
    needs_sentinel: bool = False
    """It has to be told how to say that it is done."""
    resumes: bool = False
    names_conversations: bool = False
    """The conversation's id can be chosen before the start."""
    counts_tokens: bool = False
    counts_money: bool = False


class Agent(Protocol):
    name: str
    mode: Mode
    credential: str
    """Runs that share it share its usage limits."""
    abilities: Abilities
    passes: tuple[str, ...]
    """Patterns of environment variables it needs beyond those that every agent gets."""

    def program(self) -> str | None:
        """What has to be installed; None: nothing."""

    def invocation(self, errand: Errand) -> Invocation: ...

    def read(self, line: str, at: float) -> Iterable[Signal]:
        """What a line of its output, or of what its hooks left, says; `at`: about when it was written."""


# ── git ──────────────────────────────────────────────────────────────────────


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

        With `adopt` an existing branch is taken over as it is.
        """

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


@fact
class World:
    """All ports of one repository, as the performers get them."""

    clock: Clock
    host: Host
    worktrees: Worktrees
    integration: Integration
    checkout: Checkout
    agents: Mapping[str, Agent]
    store: Path
    root: Path
    environment: Mapping[str, str]
    """What every process of a session starts with."""
    desk: Desk | None = None
    """None: nothing is planned here, as for a plan file without reviews."""
    retreat: Retreat | None = None
    target: Target | None = None
    clearing: Clearing | None = None
    remote: Remote | None = None
    forge: Forge | None = None
    """Where pull requests live; these are there for sessions that land something."""
    foresight: Foresight | None = None
    """None: nobody looks whether live work will merge."""
    parsers: Parsers | None = None
    """None: nobody looks whether files can be parsed."""

    def run_directory(self, run_id: str) -> Path:
        return self.store / "runs" / run_id
