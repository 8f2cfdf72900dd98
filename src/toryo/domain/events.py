"""Everything that can happen, as frozen facts in the past tense."""

from dataclasses import dataclass

from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import Fact
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict


class UnknownEvent(Exception):
    """An event that cannot be folded by this version, or not here; folding on would guess."""


@dataclass(frozen=True, slots=True, eq=False)
class Event(Fact):
    at: float


# ── the session ──────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class SessionOpened(Event):
    session: str
    title: str
    source: str
    base_branch: str
    base_commit: str
    base_tree: str
    branch: str
    terms: Terms


@dataclass(frozen=True, slots=True, eq=False)
class PlanProposed(Event):
    tasks: tuple[PlannedTask, ...]
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PlanApproved(Event):
    by: str


@dataclass(frozen=True, slots=True, eq=False)
class ParallelChanged(Event):
    parallel: int


@dataclass(frozen=True, slots=True, eq=False)
class SessionPaused(Event):
    reason: str
    waits_for_person: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SessionResumed(Event):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class WorkSettled(Event):
    """Nothing is left that could go on by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class SessionProven(Event):
    """The session's own checks ran on the integrated branch."""

    commit: str
    tree: str
    results: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SessionClosed(Event):
    outcome: Outcome
    discarded: bool = False


# ── a task's run ─────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class TaskEvent(Event):
    task: int


@dataclass(frozen=True, slots=True, eq=False)
class RunPlanned(TaskEvent):
    """A slot is claimed and every name is settled, before anything starts."""

    run: str
    agent: str
    conversation: str


@dataclass(frozen=True, slots=True, eq=False)
class WorkspacePrepared(TaskEvent):
    run: str
    base: str
    base_tree: str
    head: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceRefused(TaskEvent):
    """The place to work in could not be made ready; the task waits for a person."""

    run: str
    reason: BlockReason
    detail: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BasesConflicted(TaskEvent):
    """The branches it depends on do not merge; it waits until they are integrated."""

    run: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RunStarted(TaskEvent):
    run: str
    pid: int


@dataclass(frozen=True, slots=True, eq=False)
class ConversationNamed(TaskEvent):
    """The agent chose the id of its conversation itself."""

    run: str
    conversation: str


@dataclass(frozen=True, slots=True, eq=False)
class RunWaited(TaskEvent):
    """It waits for a person."""

    run: str
    question: str


@dataclass(frozen=True, slots=True, eq=False)
class RunStalled(TaskEvent):
    """It cannot go on for now, and tries again by itself."""

    run: str
    trouble: Trouble
    message: str
    until: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class RunFellSilent(TaskEvent):
    """Nothing was heard of it for so long that nobody knows whether it works."""

    run: str
    since: float


@dataclass(frozen=True, slots=True, eq=False)
class RunWentOn(TaskEvent):
    """It works again, after a wait, a stall or a silence."""

    run: str


@dataclass(frozen=True, slots=True, eq=False)
class RunExited(TaskEvent):
    run: str
    code: int
    ended_by: EndedBy
    reaped: int = 0
    evidence: tuple[Evidence, ...] = ()
    ended_at: float = 0.0
    """When its process ended, which may be long before anybody noticed."""
    report: Report | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RunStopped(TaskEvent):
    run: str
    reaped: int = 0
    report: Report | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RunLost(TaskEvent):
    """Its wrapper is gone and left no exit record."""

    run: str
    why: str
    report: Report | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WorkObserved(TaskEvent):
    run: str
    observation: Observation
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CheckFinished(TaskEvent):
    run: str
    result: CheckResult
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class VerdictReached(TaskEvent):
    run: str
    verdict: Verdict


# ── integration ──────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class TaskIntegrated(TaskEvent):
    commit: str
    tree: str
    results: tuple[CheckResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MergeRefused(TaskEvent):
    """It does not go together with what is merged already, and what the rules made of that."""

    disposition: Disposition
    files: tuple[str, ...]
    feedback: str
    resolution: PlannedTask | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceRemoved(TaskEvent):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceKept(TaskEvent):
    why: str


# ── a person, or our own machinery ───────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class TaskRetried(TaskEvent):
    """A person sends a blocked task round again, with fresh attempts."""

    agent: str = ""
    says: str = ""
    """What the person wants its agent to know."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskReassigned(TaskEvent):
    """A person gives a task that waits to another agent, or tells its own agent something."""

    agent: str
    says: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PauseLifted(Event):
    """A person wants a credential tried again before its time."""

    credential: str


@dataclass(frozen=True, slots=True, eq=False)
class TaskBlocked(TaskEvent):
    reason: BlockReason
    detail: str


@dataclass(frozen=True, slots=True, eq=False)
class EffectFailed(Event):
    """Our machinery failed (git, disk, host); says nothing about the agent's work."""

    effect: str
    message: str
    not_before: float
    task: int | None = None


EVENTS: dict[str, type[Event]] = {
    name: kind
    for name, kind in list(globals().items())
    if isinstance(kind, type) and issubclass(kind, Event) and kind not in (Event, TaskEvent)
}
