"""Everything that can happen, as frozen facts in the past tense."""

from toryo.domain.event import Event as Event
from toryo.domain.event import ModelEvent as ModelEvent
from toryo.domain.event import TaskEvent as TaskEvent
from toryo.domain.event import UnknownEvent as UnknownEvent
from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import fact
from toryo.domain.landing_events import BranchPushed as BranchPushed
from toryo.domain.landing_events import BroughtUpToDate as BroughtUpToDate
from toryo.domain.landing_events import Landed as Landed
from toryo.domain.landing_events import LandingBegun as LandingBegun
from toryo.domain.landing_events import LandingUndone as LandingUndone
from toryo.domain.landing_events import RequestOpened as RequestOpened
from toryo.domain.landing_events import RequestSeen as RequestSeen
from toryo.domain.landing_events import TargetMoved as TargetMoved
from toryo.domain.landing_events import UpdateConflicted as UpdateConflicted
from toryo.domain.limits import Budget
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.planning import Earlier
from toryo.domain.planning_events import CallPostponed as CallPostponed
from toryo.domain.planning_events import DocumentWritten as DocumentWritten
from toryo.domain.planning_events import DraftScored as DraftScored
from toryo.domain.planning_events import PersonSaid as PersonSaid
from toryo.domain.planning_events import PlanEdited as PlanEdited
from toryo.domain.planning_events import PlanRejected as PlanRejected
from toryo.domain.planning_events import QuestionsAnswered as QuestionsAnswered
from toryo.domain.planning_events import QuestionsAsked as QuestionsAsked
from toryo.domain.planning_events import RepositorySurveyed as RepositorySurveyed
from toryo.domain.planning_events import SayingConsidered as SayingConsidered
from toryo.domain.planning_events import SessionJudged as SessionJudged
from toryo.domain.planning_events import TalkCompacted as TalkCompacted
from toryo.domain.planning_events import TaskApproved as TaskApproved
from toryo.domain.planning_events import TaskReconsidered as TaskReconsidered
from toryo.domain.planning_events import TasksDrafted as TasksDrafted
from toryo.domain.planning_events import WishAdded as WishAdded
from toryo.domain.planning_events import WorkReviewed as WorkReviewed
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict

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
    instruction: str = ""
    """What was asked for, where a plan has yet to be made."""
    spec: str = ""
    earlier: Earlier | None = None
    version: str = ""
    """Of the Toryo that opened it."""
    sealing: int = 0
    """Which facts its evidence holds; 0: it was opened before all of them were sealed."""


@fact
class PlanProposed(Event):
    tasks: tuple[PlannedTask, ...]
    checks: tuple[Check, ...] = ()
    parallel: int | None = None


@fact
class PlanApproved(Event):
    by: str


@fact
class ParallelChanged(Event):
    parallel: int


@fact
class BudgetChanged(Event):
    """A person lets the session use up more, or less."""

    budget: Budget


@fact
class SessionPaused(Event):
    reason: str
    waits_for_person: bool = False
    for_budget: bool = False
    """Because its budget is used up: means nothing any more once somebody has raised it."""


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
    evidence: tuple[Evidence, ...] = ()


@fact
class SessionClosed(Event):
    outcome: Outcome
    discarded: bool = False
    kept: tuple[tuple[str, str], ...] = ()
    """Branches that were to go with it and stay, and why."""


# ── a task's run ─────────────────────────────────────────────────────────────


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
class BaseChecked(TaskEvent):
    """A check ran on the files that the task starts from."""

    run: str
    result: CheckResult
    evidence: tuple[Evidence, ...] = ()


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
    evidence: tuple[Evidence, ...] = ()


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
    evidence: tuple[Evidence, ...] = ()


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
    if isinstance(kind, type) and issubclass(kind, Event) and kind not in (Event, TaskEvent, ModelEvent)
}
