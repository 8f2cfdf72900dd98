"""Everything that can happen, as frozen facts in the past tense."""

from toryo.domain.collisions import CollisionsForeseen as CollisionsForeseen
from toryo.domain.collisions import TaskSetAside as TaskSetAside
from toryo.domain.event import Event as Event
from toryo.domain.event import ModelEvent as ModelEvent
from toryo.domain.event import TaskEvent as TaskEvent
from toryo.domain.event import UnknownEvent as UnknownEvent
from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import fact
from toryo.domain.inquiry_events import CulpritParked as CulpritParked
from toryo.domain.inquiry_events import MergeBisected as MergeBisected
from toryo.domain.inquiry_events import MergesTakenBack as MergesTakenBack
from toryo.domain.integration import Found
from toryo.domain.intent import Risk
from toryo.domain.intent_events import IntentAnalysed as IntentAnalysed
from toryo.domain.intent_events import IntentReleased as IntentReleased
from toryo.domain.intent_events import IntentsFiled as IntentsFiled
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
from toryo.domain.plan import Assent, Check, PlannedTask, Terms
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
from toryo.domain.planning_events import WordsTakenIn as WordsTakenIn
from toryo.domain.planning_events import WorkReviewed as WorkReviewed
from toryo.domain.run_events import BaseChecked as BaseChecked
from toryo.domain.run_events import BasesConflicted as BasesConflicted
from toryo.domain.run_events import CheckFinished as CheckFinished
from toryo.domain.run_events import ConversationNamed as ConversationNamed
from toryo.domain.run_events import RunExited as RunExited
from toryo.domain.run_events import RunFellSilent as RunFellSilent
from toryo.domain.run_events import RunLost as RunLost
from toryo.domain.run_events import RunPlanned as RunPlanned
from toryo.domain.run_events import RunStalled as RunStalled
from toryo.domain.run_events import RunStarted as RunStarted
from toryo.domain.run_events import RunStopped as RunStopped
from toryo.domain.run_events import RunWaited as RunWaited
from toryo.domain.run_events import RunWentOn as RunWentOn
from toryo.domain.run_events import VerdictReached as VerdictReached
from toryo.domain.run_events import WorkObserved as WorkObserved
from toryo.domain.run_events import WorkspacePrepared as WorkspacePrepared
from toryo.domain.run_events import WorkspaceRefused as WorkspaceRefused
from toryo.domain.verdict import BlockReason, Disposition, Outcome

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
    intent: str = ""
    """The slug of the intent that it works on; and what was known of it by then."""
    intent_type: str = ""
    intent_risk: Risk | None = None


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
class AssentGiven(Event):
    """A person need not be asked any more."""

    assent: Assent


@fact
class SessionQueued(Event):
    """It is to go on as soon as whoever conducts in the background has time for it."""


@fact
class TurnChanged(Event):
    """Somebody gave it another place among those that wait: smaller comes first."""

    turn: float


@fact
class SessionTakenUp(Event):
    """Its turn has come."""


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
    left: str = ""
    """Why its result stays on its branch, though the configuration would have it merged."""


# ── integration ──────────────────────────────────────────────────────────────


@fact
class TaskIntegrated(TaskEvent):
    commit: str
    tree: str
    results: tuple[CheckResult, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    remembered: tuple[str, ...] = ()
    """Files in which both sides collided, settled by git as the same conflict was settled before."""


@fact
class MergeRefused(TaskEvent):
    """It does not go together with what is merged already, and what the rules made of that."""

    disposition: Disposition
    files: tuple[str, ...]
    feedback: str
    resolution: PlannedTask | None = None
    evidence: tuple[Evidence, ...] = ()


@fact
class FoundChanged(Event):
    """A branch of the session was not where Toryo had left it."""

    what: Found
    branch: str
    tip: str
    """Where Toryo had left it."""
    commit: str
    """Where it was found; empty: nowhere."""
    tree: str = ""
    task: int | None = None
    """Whose branch it is; None: the session's own."""


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
class WorkHandedIn(TaskEvent):
    """A person did a blocked task by hand: what is in its worktree now is to be proven like any run's work."""

    run: str
    by: str
    base: str
    """What the work builds on: where the person merged the session's branch, that."""
    base_tree: str
    evidence: tuple[Evidence, ...] = ()


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
