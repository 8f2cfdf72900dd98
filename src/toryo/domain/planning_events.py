"""What happens on the way from an instruction to a plan, and what models and people say about the work."""

from toryo.domain.calls import CallRecord, Message
from toryo.domain.event import Event, ModelEvent, TaskEvent
from toryo.domain.evidence import Evidence
from toryo.domain.facts import fact
from toryo.domain.plan import Check, PlannedTask
from toryo.domain.planning import Answer, Document, Draft, Question, Score
from toryo.domain.report import Trouble
from toryo.domain.review import Judgement, Remedy, Review


@fact
class PlanEdited(Event):
    """A person changed the proposed tasks before approving them."""

    tasks: tuple[PlannedTask, ...]


@fact
class PlanRejected(Event):
    why: str
    by: str


@fact
class RepositorySurveyed(Event):
    """What the files say about the repository, and which checks follow from that."""

    text: str
    findings: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()


@fact
class QuestionsAnswered(Event):
    answers: tuple[Answer, ...]
    by: str


@fact
class CallPostponed(ModelEvent):
    """The model does not answer for now, or not before a person acts (`until` is for ever then)."""

    question: str
    trouble: Trouble
    message: str
    until: float


@fact
class QuestionsAsked(ModelEvent):
    questions: tuple[Question, ...]
    talk: tuple[Message, ...] = ()
    title: str = ""
    is_instruction: bool = True
    """False where the questions come from Toryo's own rules, before any model was asked."""
    follows: bool = False
    """The model finds that this goes on from the earlier session's work."""


@fact
class DocumentWritten(ModelEvent):
    document: Document
    text: str
    talk: tuple[Message, ...] = ()


@fact
class TasksDrafted(ModelEvent):
    draft: Draft
    talk: tuple[Message, ...] = ()


@fact
class DraftScored(ModelEvent):
    score: Score


@fact
class TalkCompacted(ModelEvent):
    """The older part of the conversation became a summary."""

    summary: str
    dropped: int


@fact
class WishAdded(Event):
    """A person wants what is missing, or something more, added to the session."""

    text: str
    by: str


@fact
class PersonSaid(Event):
    """A person steps in while the work goes on."""

    text: str


@fact
class WordsTakenIn(Event):
    """What a person said while the plan was made: from here on it belongs to what is wanted."""

    sayings: int
    """So many of all that was said."""


@fact
class SayingConsidered(ModelEvent):
    """What a person's words mean for the tasks: these change, those are dropped, these are new."""

    saying: int
    answer: str
    changes: tuple[tuple[int, str], ...] = ()
    """The numbers of the tasks it concerns, and what their agents must know."""
    cancelled: tuple[int, ...] = ()
    tasks: tuple[PlannedTask, ...] = ()


@fact
class SessionJudged(ModelEvent):
    commit: str
    judgement: Judgement


# ── a task's work ────────────────────────────────────────────────────────────


@fact
class WorkReviewed(TaskEvent):
    run: str
    review: Review
    calls: tuple[CallRecord, ...] = ()
    evidence: tuple[Evidence, ...] = ()


@fact
class TaskApproved(TaskEvent):
    """A person stands in for the review, or allows what was found."""

    by: str
    why: str = ""


@fact
class TaskReconsidered(TaskEvent):
    """What a model would do about a task that failed, within what the rules allow."""

    remedy: Remedy
    reason: str
    advice: str = ""
    tasks: tuple[PlannedTask, ...] = ()
    calls: tuple[CallRecord, ...] = ()
