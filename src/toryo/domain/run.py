"""One execution of one agent for one task; a retry is a new run."""

from enum import StrEnum

from toryo.domain.evidence import CheckResult, FileChange
from toryo.domain.facts import fact
from toryo.domain.hygiene import Blemish
from toryo.domain.report import Report, Trouble
from toryo.domain.review import Review
from toryo.domain.verdict import Verdict

PERSON = "person"
"""What a run says its agent is where a person did the work by hand."""


class Mode(StrEnum):
    """How an agent's program is run."""

    HEADLESS = "headless"
    """Its own mode for programs: takes one prompt, and exits when its turn is over."""
    INTERACTIVE = "interactive"
    """Its own screen in a window, where a person can step in; Toryo ends it when its turn is over."""


class RunState(StrEnum):
    STARTING = "starting"
    WORKING = "working"
    WAITING = "waiting"
    UNKNOWN = "unknown"
    EXITED = "exited"
    STOPPED = "stopped"
    LOST = "lost"


_ENDS = frozenset({RunState.EXITED, RunState.STOPPED, RunState.LOST})
RUN_MOVES: dict[RunState, frozenset[RunState]] = {
    RunState.STARTING: frozenset({RunState.WORKING}) | _ENDS,
    RunState.WORKING: frozenset({RunState.WAITING, RunState.UNKNOWN}) | _ENDS,
    RunState.WAITING: frozenset({RunState.WORKING, RunState.UNKNOWN}) | _ENDS,
    RunState.UNKNOWN: frozenset({RunState.WORKING, RunState.WAITING}) | _ENDS,
    RunState.EXITED: frozenset(),
    RunState.STOPPED: frozenset(),
    RunState.LOST: frozenset(),
}


class EndedBy(StrEnum):
    """Who ended the run's process."""

    ITSELF = "itself"
    TURN = "end of turn"
    """Toryo, once the agent's turn was over: an interactive program would wait for the next prompt."""
    QUESTION = "unanswered question"
    STALL = "usage limit"
    """Toryo, because the agent would have tried against a wall for hours."""
    TIME_LIMIT = "time limit"
    PERSON = "person"
    NOBODY_KNOWS = "unknown"


@fact
class Observation:
    """The files a run left behind, seen by Toryo: the task's base against now, and the run's own share."""

    commit: str
    tree: str
    changes: tuple[FileChange, ...]
    run_changed: bool
    missing: tuple[str, ...] = ()
    """Expected files that are not on disk."""
    out_of_scope: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What else is wrong with the tree, e.g. conflict markers left in."""
    output_bytes: int = 0
    outside: tuple[str, ...] = ()
    """Files in the person's own checkout that changed meanwhile, by whomever."""
    blemishes: tuple[Blemish, ...] = ()
    """What does not belong in the lines that were added."""
    protected: tuple[str, ...] = ()
    """Changes that a person has to see first: each with its path and why."""
    more_blemishes: int = 0
    """How many more there are than were kept."""
    unread: tuple[str, ...] = ()
    """Changed files too large to be looked through line by line."""
    diff_sha256: str = ""
    """Of the difference between the task's base and the commit, as `git diff-tree --raw` writes it."""
    result: str = ""
    """What a task wrote that must not change files; masked, and cut where it is very long."""


@fact
class Stall:
    """The agent tries against a wall by itself."""

    since: float
    trouble: Trouble
    message: str
    until: float = 0.0


@fact
class Run:
    id: str
    number: int
    agent: str
    conversation: str
    planned_at: float
    state: RunState = RunState.STARTING
    prepared: bool = False
    start_commit: str = ""
    pid: int | None = None
    started_at: float | None = None
    ended_at: float | None = None
    code: int | None = None
    ended_by: EndedBy | None = None
    reaped: int = 0
    """Processes the run left behind, ended by Toryo."""
    trouble: str = ""
    """Why the run could not be carried out at all (workspace, machinery)."""
    remarks: int = 0
    """How often it told something worth recording while it worked."""
    question: str = ""
    """What it waits for a person to answer."""
    waiting_since: float = 0.0
    silent_since: float = 0.0
    stall: Stall | None = None
    report: Report | None = None
    """Its agent's own account of it, once it has ended."""
    before: tuple[CheckResult, ...] = ()
    """Checks on the files as they were before the agent started."""
    observation: Observation | None = None
    results: tuple[CheckResult, ...] = ()
    review: Review | None = None
    verdict: Verdict | None = None
