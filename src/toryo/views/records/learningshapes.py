"""The JSON answers about what was noted, how intents went, and what came of both."""

from typing import Literal, TypedDict

from toryo.domain.intent import Risk
from toryo.domain.learning import EvidenceType, HistoryOutcome, ObservationSource
from toryo.views.records.intentshapes import BrokenRow, FlowRow
from toryo.views.records.rowshapes import UsageRow


class ReferenceRow(TypedDict):
    type: EvidenceType
    ref: str


class ObservationRow(TypedDict):
    id: str
    content: str
    evidence: list[ReferenceRow]
    source: ObservationSource
    intent_id: str | None
    processed: bool
    created_at: str | None


class ObservationAnswer(TypedDict):
    """`toryo observe --json`"""

    toryo: Literal[1]
    kind: Literal["observation"]
    kept: Literal["added", "known", "aside"]
    observation: ObservationRow


class ObservationsAnswer(TypedDict):
    """`toryo observe --list --json`"""

    toryo: Literal[1]
    kind: Literal["observations"]
    observations: list[ObservationRow]
    broken: list[BrokenRow]


class StepRow(TypedDict):
    step: str
    task: str | None
    result: str
    seconds: float
    tokens: int
    usd: float


class HistoryRow(TypedDict):
    name: str
    intent_id: str
    intent_type: str | None
    intent_risk: Risk | None
    title: str
    session: str
    flow: FlowRow
    step_results: list[StepRow]
    outcome: HistoryOutcome
    failure_reason: str | None
    observations: list[str]
    tokens: int
    usd: float
    created_at: str | None


class HistoriesAnswer(TypedDict):
    """`toryo history --json`"""

    toryo: Literal[1]
    kind: Literal["histories"]
    histories: list[HistoryRow]
    broken: list[BrokenRow]


class ProposedRow(TypedDict):
    slug: str
    title: str
    type: str | None
    risk: Risk | None
    observations: list[str]


class SkillRow(TypedDict):
    name: str
    description: str
    seen: list[str]


class ReflectionRow(TypedDict):
    id: str
    at: float
    observations: list[str]
    intents: list[ProposedRow]
    skills: list[SkillRow]
    dropped: list[str]
    by: str


class ReflectionAnswer(TypedDict):
    """`toryo reflect --json`"""

    toryo: Literal[1]
    kind: Literal["reflection"]
    reflection: ReflectionRow | None
    finished: list[ReflectionRow]
    """Those that were interrupted before, and are carried out now."""
    dry_run: bool
    calls: int
    usage: UsageRow
