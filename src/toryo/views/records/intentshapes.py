"""The JSON answers about intents."""

from typing import Literal, TypedDict

from toryo.domain.intent import IntentSource, IntentStatus, Risk
from toryo.domain.session import SessionState
from toryo.domain.verdict import Outcome


class ClarificationRow(TypedDict):
    question: str
    answer: str | None
    why: str
    options: list[str]
    default: str


class FeedbackRow(TypedDict):
    task: str
    says: str


class IntentRow(TypedDict):
    id: str
    title: str
    body: str
    type: str | None
    source: IntentSource
    risk: Risk | None
    status: IntentStatus
    parent: str | None
    clarifications: list[ClarificationRow]
    needs_clarification: bool
    created_at: float | None
    order: float
    session: str | None
    feedback: list[FeedbackRow]
    reason: str
    updated_at: float | None


class BrokenRow(TypedDict):
    """A file that cannot be read."""

    path: str
    line: int
    says: str


class KinRow(TypedDict):
    id: str
    status: IntentStatus
    title: str


class FlowRow(TypedDict):
    steps: list[str]
    adjustments: list[str]


class IntentsAnswer(TypedDict):
    """`toryo intent list --json`"""

    toryo: Literal[1]
    kind: Literal["intents"]
    intents: list[IntentRow]
    broken: list[BrokenRow]
    drafts: list[str]


class IntentAnswer(TypedDict):
    """`toryo intent show --json`, `toryo intent new --json`"""

    toryo: Literal[1]
    kind: Literal["intent"]
    intent: IntentRow
    path: str
    state: SessionState | None
    outcome: Outcome | None
    children: list[KinRow]
    flow: FlowRow | None
