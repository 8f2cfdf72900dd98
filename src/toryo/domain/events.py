"""Everything that can happen, as frozen facts in the past tense."""

from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import fact
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict


class UnknownEvent(Exception):
    """An event that cannot be folded by this version, or not here; folding on would guess."""


@fact
class Event:
    at: float


# ── the session ──────────────────────────────────────────────────────────────


@fact
class SessionOpened(Event):
    session: str
    title: str
    source: str
    base_branch: str
    base_commit: str
    base_tree: str
    branch: str
    terms: Terms


@fact
class PlanProposed(Event):
    tasks: tuple[PlannedTask, ...]
    checks: tuple[Check, ...] = ()


@fact
class PlanApproved(Event):
    by: str


@fact
class ParallelChanged(Event):
    parallel: int


@fact
class SessionPaused(Event):
    reason: str
    waits_for_person: bool = False


@fact
class SessionResumed(Event):
    pass


@fact
class WorkSettled(Event):
    """Nothing is left that could go on by itself."""


@fact
class SessionProven(Event):
    """The session's own checks ran on the integrated branch."""

    commit: str
    tree: str
    results: tuple[CheckResult, ...]


@fact
class SessionClosed(Event):
    outcome: Outcome
    discarded: bool = False


# ── a task's run ─────────────────────────────────────────────────────────────


@fact
class TaskEvent(Event):
    task: int


@fact
class RunPlanned(TaskEvent):
    """A slot is claimed and every name is settled, before anything starts."""

    run: str
    agent: str
    conversation: str


@fact
class WorkspacePrepared(TaskEvent):
    run: str
    base: str
    base_tree: str
    head: str
    evidence: tuple[Evidence, ...] = ()


@fact
class WorkspaceRefused(TaskEvent):
    """The place to work in could not be made ready; the task waits for a person."""

    run: str
    reason: BlockReason
    detail: str
    evidence: tuple[Evidence, ...] = ()


@fact
class BasesConflicted(TaskEvent):
    """The branches it depends on do not merge; it waits until they are integrated."""

    run: str
    files: tuple[str, ...]


@fact
class RunStarted(TaskEvent):
    run: str
    pid: int


@fact
class ConversationNamed(TaskEvent):
    """The agent chose the id of its conversation itself."""

    run: str
    conversation: str


@fact
class RunWaited(TaskEvent):
    """It waits for a person."""

    run: str
    question: str


@fact
class RunStalled(TaskEvent):
    """It cannot go on for now, and tries again by itself."""

    run: str
    trouble: Trouble
    message: str
    until: float = 0.0


@fact
class RunFellSilent(TaskEvent):
    """Nothing was heard of it for so long that nobody knows whether it works."""

    run: str
    since: float


@fact
class RunWentOn(TaskEvent):
    """It works again, after a wait, a stall or a silence."""

    run: str


@fact
class RunExited(TaskEvent):
    run: str
    code: int
    ended_by: EndedBy
    reaped: int = 0
    evidence: tuple[Evidence, ...] = ()
    ended_at: float = 0.0
    """When its process ended, which may be long before anybody noticed."""
    report: Report | None = None


@fact
class RunStopped(TaskEvent):
    run: str
    reaped: int = 0
    report: Report | None = None


@fact
class RunLost(TaskEvent):
    """Its wrapper is gone and left no exit record."""

    run: str
    why: str
    report: Report | None = None


@fact
class WorkObserved(TaskEvent):
    run: str
    observation: Observation
    evidence: tuple[Evidence, ...] = ()


@fact
class CheckFinished(TaskEvent):
    run: str
    result: CheckResult
    evidence: tuple[Evidence, ...] = ()


@fact
class VerdictReached(TaskEvent):
    run: str
    verdict: Verdict


# ── integration ──────────────────────────────────────────────────────────────


@fact
class TaskIntegrated(TaskEvent):
    commit: str
    tree: str
    results: tuple[CheckResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@fact
class MergeRefused(TaskEvent):
    """It does not go together with what is merged already, and what the rules made of that."""

    disposition: Disposition
    files: tuple[str, ...]
    feedback: str
    resolution: PlannedTask | None = None
    evidence: tuple[Evidence, ...] = ()


@fact
class WorkspaceRemoved(TaskEvent):
    pass


@fact
class WorkspaceKept(TaskEvent):
    why: str


# ── a person, or our own machinery ───────────────────────────────────────────


@fact
class TaskRetried(TaskEvent):
    """A person sends a blocked task round again, with fresh attempts."""

    agent: str = ""
    says: str = ""
    """What the person wants its agent to know."""


@fact
class TaskReassigned(TaskEvent):
    """A person gives a task that waits to another agent, or tells its own agent something."""

    agent: str
    says: str = ""


@fact
class PauseLifted(Event):
    """A person wants a credential tried again before its time."""

    credential: str


@fact
class TaskBlocked(TaskEvent):
    reason: BlockReason
    detail: str


@fact
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
