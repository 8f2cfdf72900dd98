"""What was noticed while working, how an intent went, and what follows from both."""

from enum import StrEnum

from toryo.domain.facts import fact
from toryo.domain.intent import Proposal, Risk


class EvidenceType(StrEnum):
    """What an observation can point at."""

    FILE = "file"
    SKILL = "skill"
    HISTORY = "history"
    DECISION = "decision"


class ObservationSource(StrEnum):
    """Who noticed it."""

    IMPLEMENT = "implement"
    REFLECT = "reflect"
    AUDIT = "audit"
    HUMAN = "human"


@fact
class Reference:
    type: EvidenceType
    ref: str


@fact
class Observation:
    content: str
    evidence: tuple[Reference, ...] = ()
    source: ObservationSource = ObservationSource.IMPLEMENT
    intent_id: str = ""
    processed: bool = False
    created_at: float = 0.0
    id: str = ""
    """Tells it from all others; not in the file where that does not say one: then it follows from what is."""


class HistoryOutcome(StrEnum):
    SUCCESS = "success"
    FAILED = "failed"
    ESCALATED = "escalated"
    """It was left to a person."""


@fact
class StepResult:
    step: str
    result: str
    seconds: float = 0.0
    task: str = ""
    """The key of the task it was taken for; empty: for the intent as a whole."""
    tokens: int = 0
    usd: float = 0.0


@fact
class History:
    """How one effort at an intent went: one file in `.toryo/knowledge/history`."""

    intent_id: str
    session: str
    title: str
    outcome: HistoryOutcome
    intent_type: str = ""
    intent_risk: Risk | None = None
    flow: tuple[str, ...] = ()
    adjustments: tuple[str, ...] = ()
    step_results: tuple[StepResult, ...] = ()
    failure_reason: str = ""
    observations: tuple[str, ...] = ()
    """Made while it was worked on, by their ids."""
    tokens: int = 0
    usd: float = 0.0
    created_at: float = 0.0


@fact
class Skill:
    """A way of working that a model found worth writing down, since it was needed more than once."""

    name: str
    description: str
    body: str
    seen: tuple[str, ...]
    """In which histories, by the names of their files."""


@fact
class Reflection:
    """What a model made of observations and histories, before any of it is written."""

    id: str
    at: float
    observations: tuple[str, ...]
    """The ids of those that were looked at: each is processed once this is written."""
    intents: tuple[Proposal, ...] = ()
    skills: tuple[Skill, ...] = ()
    histories: tuple[str, ...] = ()
    """The names of those that were looked at."""
    dropped: tuple[str, ...] = ()
    """What was proposed and not taken up, and why."""
    by: str = ""
