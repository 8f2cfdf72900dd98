"""What someone wants: its risk, its open questions, and how far it has come."""

from enum import StrEnum

from toryo.domain.facts import fact
from toryo.domain.planning import Question


class Risk(StrEnum):
    """What could go wrong, as a person or a model judges it; declared from least to most."""

    LOW = "low"
    MED = "med"
    HIGH = "high"

    def is_above(self, other: "Risk") -> bool:
        return list(Risk).index(self) > list(Risk).index(other)


def higher(one: Risk | None, other: Risk) -> Risk:
    """The one that counts where two are said."""
    return one if one is not None and one.is_above(other) else other


AUTONOMY = "autonomy"
"""Who released an intent that nobody approved: the rules of autonomy."""


class IntentSource(StrEnum):
    """Where it comes from."""

    HUMAN = "human"
    REFLECTION = "reflection"
    AUDIT = "audit"


class IntentStatus(StrEnum):
    PROPOSED = "proposed"
    APPROVED = "approved"
    EXECUTING = "executing"
    DONE = "done"
    BLOCKED = "blocked"
    """Some of it failed; what succeeded is kept."""
    ERROR = "error"
    """All of it failed."""
    REJECTED = "rejected"

    @property
    def is_open(self) -> bool:
        """Something may still come of it."""
        return self not in (IntentStatus.DONE, IntentStatus.REJECTED)

    @property
    def is_failed(self) -> bool:
        return self in (IntentStatus.BLOCKED, IntentStatus.ERROR)


_P, _A, _X, _D, _B, _E, _R = IntentStatus
INTENT_MOVES: dict[IntentStatus, frozenset[IntentStatus]] = {
    _P: frozenset({_A, _R}),
    _A: frozenset({_X, _P, _R}),  # proposed: a person takes the word back before anything began
    _X: frozenset({_D, _B, _E, _R}),
    _D: frozenset({_A}),  # once more, since a person says so
    _B: frozenset({_A, _R}),
    _E: frozenset({_A, _R}),
    _R: frozenset({_A, _P}),
}


@fact
class Clarification:
    """A question that somebody has to answer; no answer: it is open."""

    question: str
    answer: str = ""
    why: str = ""
    options: tuple[str, ...] = ()
    default: str = ""


@fact
class Feedback:
    """Why one of its tasks failed."""

    task: str
    """Its key and title."""
    says: str


@fact
class Intent:
    """One file in `.toryo/intents`, named after its slug."""

    slug: str
    title: str
    body: str = ""
    type: str = ""
    """Any word; which of them have a way of their own is said by `rules.flows`. Empty: not yet known."""
    source: IntentSource = IntentSource.HUMAN
    risk: Risk | None = None
    """None: not yet known."""
    status: IntentStatus = IntentStatus.PROPOSED
    parent: str = ""
    clarifications: tuple[Clarification, ...] = ()
    created_at: float = 0.0
    order: float = 0.0
    """Whoever has less comes first; of those with the same, the older one."""
    session: str = ""
    """The session that works on it, or did last; written before that is opened."""
    feedback: tuple[Feedback, ...] = ()
    reason: str = ""
    """Why it has the status that it has, where somebody said so."""
    updated_at: float = 0.0
    """When Toryo last changed its status."""

    @property
    def open_questions(self) -> tuple[Clarification, ...]:
        return tuple(one for one in self.clarifications if not one.answer)

    @property
    def needs_clarification(self) -> bool:
        return bool(self.open_questions)


class AnalysisEnd(StrEnum):
    """What an analysis came to."""

    TASKS = "tasks"
    """It can be planned."""
    CHILDREN = "intents"
    """It is too much for one plan: several intents take its place."""
    QUESTIONS = "questions"
    """Something has to be known first."""


@fact
class Proposal:
    """An intent that a model proposes, with the name its file will have."""

    slug: str
    title: str
    body: str = ""
    type: str = ""
    risk: Risk | None = None
    observations: tuple[str, ...] = ()
    """What it was made of, by the ids of the observations; of a reflection only."""


@fact
class Flow:
    """The steps that an intent of its type goes through, and how they were adjusted to this one."""

    type: str
    steps: tuple[str, ...]
    adjustments: tuple[str, ...] = ()


class Severity(StrEnum):
    """How bad a finding is as things stand, which says nothing about the risk of changing them; least first."""

    LOW = "low"
    MED = "med"
    HIGH = "high"


@fact
class AuditFinding:
    """One thing that an audit found."""

    severity: Severity
    path: str
    line: int
    """0: the file as a whole."""
    title: str
    why: str = ""
    suggestion: str = ""
    is_there: bool = True
    """Toryo saw that place itself; else it is a claim, and no intent comes of it."""
    intent: str = ""
    """The slug of the intent that it became, or of the one that wants the same already."""
    is_known: bool = False
    """That intent was there before."""
    focus: str = ""

    @property
    def where(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@fact
class Analysis:
    """What a model made of an intent; rules decide what follows from it."""

    end: AnalysisEnd
    type: str
    risk: Risk
    why: str = ""
    """Why that risk."""
    title: str = ""
    questions: tuple[Question, ...] = ()
    children: tuple[Proposal, ...] = ()
    follows: bool = False
    """It goes on from the earlier session's work."""
    by: str = ""


@fact
class Pursuit:
    """How a session stands to the intent that it works on, folded from the session's events."""

    intent: str
    """The slug."""
    type: str = ""
    """What the file said when the session was opened; empty: the model was to find out. Likewise the risk."""
    risk: Risk | None = None
    analysis: Analysis | None = None
    """As last said."""
    flow: Flow | None = None
    analyses: int = 0
    """How often a model was asked for one."""
    released_by: str = ""
    """Who let it be carried out; empty: nobody did yet."""
    filed: tuple[Proposal, ...] | None = None
    """Intents that came of it, as files; None: none were written yet."""
    findings: tuple[AuditFinding, ...] = ()
    """Of an audit, worst first."""

    @property
    def is_released_by_person(self) -> bool:
        return bool(self.released_by) and self.released_by != AUTONOMY

    @property
    def is_held(self) -> bool:
        """What it comes to is known, and nobody has let it be carried out yet."""
        is_known = self.analysis is not None and self.analysis.end is not AnalysisEnd.QUESTIONS
        return is_known and not self.released_by


@fact
class Broken:
    """A file that cannot be read as what it should be; it is left as it is."""

    path: str
    """From the root of the repository."""
    line: int
    says: str


@fact
class Listing:
    """Everything on file, first come first, and what of it cannot be read."""

    intents: tuple[Intent, ...] = ()
    broken: tuple[Broken, ...] = ()
