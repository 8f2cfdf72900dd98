"""One effort at one intent, from planning to landing."""

import math
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from toryo.domain.collisions import Collision, Touched
from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import fact
from toryo.domain.inquiry import Look, Merge
from toryo.domain.integration import Noticed
from toryo.domain.intent import Pursuit
from toryo.domain.landing import Landing
from toryo.domain.limits import Budget, Cost
from toryo.domain.plan import Check, Terms
from toryo.domain.planning import Planning
from toryo.domain.report import Usage
from toryo.domain.review import Judgement, Response
from toryo.domain.shelf import Shelf
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason, Outcome

MODEL = "the model"
"""What pauses call the credential of the model that plans and reviews."""


class SessionState(StrEnum):
    PLANNING = "planning"
    AWAITING_APPROVAL = "awaiting approval"
    EXECUTING = "executing"
    CONCLUDING = "concluding"
    LANDING = "landing"
    PAUSED = "paused"
    CLOSED = "closed"


_L, _W, _E, _K, _H, _P, _Z = SessionState
SESSION_MOVES: dict[SessionState, frozenset[SessionState]] = {
    _L: frozenset({_W, _P, _Z}),
    _W: frozenset({_L, _E, _P, _Z}),
    _E: frozenset({_K, _P, _Z}),
    _K: frozenset({_E, _H, _P, _Z}),
    _H: frozenset({_E, _P, _Z}),  # executing: something came back
    _P: frozenset({_L, _W, _E, _K, _H, _Z}),
    _Z: frozenset({_H}),  # a person lands it later
}


_AT_REST = frozenset({SessionState.AWAITING_APPROVAL, SessionState.PAUSED, SessionState.CLOSED})


@fact
class Pause:
    """Why a credential cannot be used, and until when; for ever where only a person can change that."""

    until: float
    reason: BlockReason
    message: str

    @property
    def needs_person(self) -> bool:
        return self.until == math.inf


@fact
class Session:
    """The state of everything, folded from the session's events."""

    id: str
    title: str
    base_branch: str
    base_commit: str
    base_tree: str
    branch: str
    opened_at: float
    source: str = ""
    version: str = ""
    """Of the Toryo that opened it."""
    state: SessionState = SessionState.PLANNING
    resumes_to: SessionState = SessionState.EXECUTING
    terms: Terms = Terms()
    parallel: int = 4
    checks: tuple[Check, ...] = ()
    seq: int = 0
    updated_at: float = 0.0
    closed_at: float | None = None
    outcome: Outcome | None = None
    pause_reason: str = ""
    waits_for_person: bool = False
    """Paused because nothing can go on until a person decides (blocked tasks)."""

    queued_at: float | None = None
    """Since when it has been waiting for its turn; None: it does not."""
    turn: float | None = None
    """Its place among those that wait, where somebody changed it; None: since when it has been waiting."""

    tasks: Shelf[Task] = field(default_factory=Shelf)
    keys: Mapping[str, int] = field(default_factory=dict)
    dependents: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    # Indexes of what the tasks say, kept so that nobody has to walk them all.
    counts: Mapping[TaskState, int] = field(default_factory=dict)
    ready: Shelf[None] = field(default_factory=Shelf)
    live: Shelf[None] = field(default_factory=Shelf)
    accepted: Shelf[int] = field(default_factory=Shelf)
    """Tasks that wait to be merged, by turn: a merge under way is never overtaken."""
    removable: Shelf[None] = field(default_factory=Shelf)
    waiting: Shelf[None] = field(default_factory=Shelf)
    """Tasks whose run waits for a person: their slot is free for others."""

    pauses: Mapping[str, Pause] = field(default_factory=dict)
    """Credentials with which nothing can be started for now."""
    usage: Usage = Usage()
    """What the agents used."""

    planning: Planning | None = None
    """Where the session began with an instruction instead of a plan."""
    pursuit: Pursuit | None = None
    """Where it works on an intent."""
    calls: int = 0
    """Calls of the model, answered or not."""
    call_usage: Usage = Usage()
    provider: str = ""
    """Who answered last, and as which model."""
    model: str = ""
    budget: Budget = Budget()
    """What it may use up; a person may change it."""
    runs: int = 0
    """How many there were, whatever came of them."""
    dearest: Mapping[str, Cost] = field(default_factory=dict)
    """The most that one run of each agent has cost so far."""
    rested: float = 0.0
    """Seconds in which it waited for a person, up to the last event."""
    has_estimates: bool = False
    """Some of the model's tokens are estimated."""
    outages: int = 0
    """Times in a row the model did not answer."""
    outage_since: float = 0.0
    lifted: int = 0
    """How often a person wanted the model tried again at once."""
    sayings: tuple[str, ...] = ()
    """What people said while the work went on."""
    considered: int = 0
    """How many of those have been looked into."""
    responses: tuple[Response, ...] = ()
    """What came of each of them."""
    judgement: Judgement | None = None
    judged_commit: str = ""
    stuck: Shelf[None] = field(default_factory=Shelf)
    """Tasks that failed, about which a model may say what to do."""

    tip: str = ""
    tip_tree: str = ""
    mending: int | None = None
    """The task whose merge conflict is being settled; other merges wait for it."""
    merge_turn: int = 0
    """Since when the next merge has been the next: its place among the checks that wait to run."""
    merges: Shelf[Merge] = field(default_factory=Shelf)
    """The steps of the branch since its base, by the event that told of each."""
    ahead: str = ""
    """Where the branch still stands in git, until merges that do not count any more are taken back."""
    looks: tuple[Look, ...] = ()
    """At steps of the branch, since its proof failed."""
    flaky: tuple[str, ...] = ()
    """Checks that passed and failed on the same files."""
    proven_tree: str = ""
    proof: tuple[CheckResult, ...] = ()
    proof_commit: str = ""
    evidence: tuple[Evidence, ...] = ()
    """Of the session's own proofs, each record chained to the one before."""
    sealing: int = 0
    """Which facts its evidence holds."""
    kept_worktrees: tuple[tuple[str, str], ...] = ()
    noticed: tuple[Noticed, ...] = ()
    """What others did to its branches."""
    landing: Landing | None = None
    taken_back: Landing | None = None
    """The landing that a person undid, until the next one."""
    collisions: tuple[Collision, ...] = ()
    """As last seen; of tasks that are over by now they mean nothing any more."""
    touched: tuple[Touched, ...] = ()
    ground: str = ""
    """The commit of the branch it is landed on that its own branch was last brought together with; empty: its base."""
    failures: int = 0
    not_before: float = 0.0
    trouble: str = ""

    @property
    def short(self) -> str:
        """Eight characters of the id, as they stand in its tasks' ids."""
        return short_of(self.id)

    @property
    def chain(self) -> str:
        """The hash the next evidence of the session as a whole builds on."""
        return self.evidence[-1].sha256 if self.evidence else ""

    @property
    def busy(self) -> int:
        """How many slots are taken: agents at work, not those who wait for a person or whose work is being checked."""
        return self.counts.get(TaskState.RUNNING, 0) - len(self.waiting)

    @property
    def has_backlog(self) -> bool:
        """So much work waits to be checked that more of it would only fill the disk."""
        return self.counts.get(TaskState.CHECKING, 0) >= 2 * self.parallel + 2

    @property
    def rests(self) -> bool:
        """It waits for a person or for its turn, so its time stands still."""
        is_asked = self.state is SessionState.PLANNING and self.planning is not None and self.planning.open_questions
        is_held = self.state is SessionState.PLANNING and self.pursuit is not None and self.pursuit.is_held
        return self.state in _AT_REST or bool(is_asked) or is_held or self.queued_at is not None

    @property
    def is_landed(self) -> bool:
        """All that is merged so far."""
        return self.landing is not None and self.landing.is_over and self.landing.tip == self.tip

    def credential_of(self, task: Task) -> str:
        """What a run of the task would use up."""
        agent = task.plan.agent
        return next((credential for name, credential in self.terms.credentials if name == agent), agent)

    def count(self, *states: TaskState) -> int:
        return sum(self.counts.get(state, 0) for state in states)

    def task(self, key: str) -> Task:
        return self.tasks[self.keys[key]]


def short_of(session_id: str) -> str:
    return session_id.removeprefix("session-")[:8]
