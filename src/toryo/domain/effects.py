"""What should be under way. Equal effects are the same work; their fields are their identity."""

from toryo.domain.facts import fact
from toryo.domain.planning import Document
from toryo.domain.verdict import BlockReason


@fact
class Effect:
    pass


@fact
class TaskEffect(Effect):
    task: int
    tries: int
    not_before: float


@fact
class PlanRun(TaskEffect):
    number: int


@fact
class RunEffect(TaskEffect):
    run: str


class PrepareWorkspace(RunEffect):
    __slots__ = ()


class StartRun(RunEffect):
    __slots__ = ()


@fact
class AwaitRun(RunEffect):
    remarks: int = 0
    """How much of what it told is recorded: once more is, waiting begins anew."""


class StopRun(RunEffect):
    __slots__ = ()


@fact
class SetTaskAside(RunEffect):
    """Stop the run, keep its work: it would collide with that of the other task, which was there first."""

    behind: int
    files: tuple[str, ...]


class ObserveWork(RunEffect):
    __slots__ = ()


@fact
class RunCheck(RunEffect):
    check: str


class CheckBase(RunCheck):
    """See whether the check fails as it should before the work is done."""

    __slots__ = ()


@fact
class ReviewWork(RunEffect):
    """Ask a model what it makes of the run's work."""

    lifted: int


class JudgeRun(RunEffect):
    __slots__ = ()


@fact
class ReconsiderTask(TaskEffect):
    """Ask a model what to do about a task that failed."""

    replans: int
    lifted: int


@fact
class MergeTask(TaskEffect):
    tip: str


class GiveUpResolution(TaskEffect):
    """The conflict-resolution of this task is blocked: decide what becomes of the task."""

    __slots__ = ()


@fact
class BlockTask(TaskEffect):
    """Leave the task to a person: our machinery failed at it too often, or its agent cannot be used."""

    message: str
    reason: BlockReason = BlockReason.SYSTEM_ERROR


class RemoveWorkspace(TaskEffect):
    __slots__ = ()


@fact
class SessionEffect(Effect):
    seq: int
    not_before: float


class SettleWork(SessionEffect):
    __slots__ = ()


@fact
class ProveSession(SessionEffect):
    tip: str


@fact
class BisectMerges(SessionEffect):
    """Run the checks that failed on the integrated branch on one of the steps that led there."""

    commit: str
    looks: int
    """How many there were before."""


@fact
class ParkCulprit(SessionEffect):
    """The merge that broke the whole is known: say what becomes of it and of those behind it."""

    merge: str


@fact
class TakeBackMerges(SessionEffect):
    """Move the session's branch from where it stands back to where it should."""

    ahead: str
    tip: str


class Conclude(SessionEffect):
    __slots__ = ()


@fact
class BringUpToDate(SessionEffect):
    """See that the session's branch contains what the branch it is landed on has by now."""

    tip: str


@fact
class LandOnTarget(SessionEffect):
    """Move the branch that is landed on to the result."""

    tip: str
    onto: str


@fact
class HandBack(SessionEffect):
    """The checks do not pass on what was brought up to date: have that mended, or leave it to a person."""

    tip: str


@fact
class PushBranch(SessionEffect):
    branch: str
    commit: str


@fact
class OpenRequest(SessionEffect):
    branch: str


class FinishLanding(SessionEffect):
    """Everything is where it belongs: clear away what is no longer needed."""

    __slots__ = ()


@fact
class ForeseeCollisions(Effect):
    """Keep looking whether what is being worked on will merge; what is looked at is its identity."""

    works: tuple[str, ...]
    tip: str


@fact
class HoldSession(SessionEffect):
    """Nothing can go on: our machinery failed too often, or the model cannot be asked before a person acts."""

    message: str
    is_ours: bool = True


@fact
class PauseAtBudget(Effect):
    """Nothing more may be used up: leave the session to a person, at once or when its time is over."""

    not_before: float


@fact
class PlanningEffect(Effect):
    """A step towards a plan; `lifted` changes when a person wants the model tried again at once."""

    round: int
    lifted: int
    not_before: float


class SurveyRepository(PlanningEffect):
    __slots__ = ()


@fact
class AnalyseIntent(PlanningEffect):
    """Ask a model what the intent comes to: tasks, other intents, or questions."""

    analyses: int
    """How often that was asked before."""


@fact
class FileIntents(SessionEffect):
    """Write files for the intents that came of this one, so that each goes its own way."""

    tip: str


class AskQuestions(PlanningEffect):
    __slots__ = ()


@fact
class WriteDocument(PlanningEffect):
    document: Document


@fact
class DraftTasks(PlanningEffect):
    drafts: int
    """How many there were in this round."""


@fact
class ScoreDraft(PlanningEffect):
    drafts: int


class ProposePlan(PlanningEffect):
    __slots__ = ()


class CompactTalk(PlanningEffect):
    __slots__ = ()


@fact
class TakeInWords(PlanningEffect):
    """Plan with what a person said meanwhile."""

    sayings: int


@fact
class ConsiderSaying(PlanningEffect):
    saying: int


@fact
class JudgeSession(PlanningEffect):
    """Ask a model whether the merged work is what was asked for."""

    tip: str
