"""Where agents and checks run, and what is known of an agent."""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Protocol

from toryo.domain.facts import fact
from toryo.domain.run import Mode
from toryo.domain.signals import Signal

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
    model: str = ""
    """The one that its task asks for; empty: as configured for the agent."""

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
