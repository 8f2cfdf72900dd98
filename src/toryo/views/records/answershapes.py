"""The JSON answers of commands as wholes: an envelope around rows, or one line of many."""

from typing import Any, Literal, NotRequired, TypedDict

from toryo.domain.intent import IntentStatus, Risk
from toryo.domain.run import EndedBy, RunState
from toryo.domain.verdict import Disposition, Outcome
from toryo.views.inboxitems import Choice
from toryo.views.records import shapes
from toryo.views.records.rowshapes import (
    FindingRow,
    GroupedTask,
    RecordedTask,
    RecordedTaskRow,
    RunDetails,
    SessionDetails,
    SessionRow,
    TaskDetails,
    UsageRow,
)


class SessionAnswer(TypedDict):
    """`toryo info --json`"""

    toryo: Literal[1]
    kind: Literal["session"]
    session: SessionDetails
    threads: list[shapes.Thread]
    locks: list[shapes.FileLock]
    rounds: list[shapes.Run]
    tasks: list[RecordedTaskRow]


class AuditAnswer(TypedDict):
    """`toryo audit --json`"""

    toryo: Literal[1]
    kind: Literal["audit"]
    session: SessionRow
    intent: str
    findings: list[FindingRow]


class TaskAnswer(TypedDict):
    """`toryo info TASK --json`"""

    toryo: Literal[1]
    kind: Literal["task"]
    session: str
    task: RecordedTask


class RunAnswer(TypedDict):
    """`toryo info RUN --json`"""

    toryo: Literal[1]
    kind: Literal["run"]
    session: str
    task: str
    run: RunDetails


class ReportAnswer(TypedDict):
    """`toryo report --json`"""

    toryo: Literal[1]
    kind: Literal["report"]
    result: shapes.ExecutionResult
    session: SessionRow
    tasks: list[TaskDetails]


class TasksAnswer(TypedDict):
    """`toryo tasks --json`"""

    toryo: Literal[1]
    kind: Literal["tasks"]
    session: str
    summary: dict[str, int]
    failed: list[GroupedTask]
    active: list[GroupedTask]
    pending: list[GroupedTask]
    completed: list[GroupedTask]
    dropped: list[GroupedTask]


class InboxItem(TypedDict):
    """Something that waits for a person."""

    session: str | None
    task: str | None
    intent: str | None
    risk: Risk | None
    since: float
    what: str
    says: str
    do: str
    commands: list[str]
    can: list[Choice]
    id: str


class InboxAnswer(TypedDict):
    """`toryo inbox --json`"""

    toryo: Literal[1]
    kind: Literal["inbox"]
    items: list[InboxItem]


class DecidedRow(TypedDict):
    kind: Literal["intent", "session", "task", "skill"]
    id: str
    status: IntentStatus | None
    session: str | None
    says: str


class FailedRow(TypedDict):
    id: str
    code: str
    says: str


class DecisionsAnswer(TypedDict):
    """`toryo approve`, `reject`, `retry` and `answer` about intents, or about several things at once"""

    toryo: Literal[1]
    kind: Literal["decisions"]
    decided: list[DecidedRow]
    failed: list[FailedRow]


class EventLine(TypedDict):
    """A line of `toryo logs --events --json`; the other fields are the event's own."""

    toryo: Literal[1]
    seq: int
    kind: str
    at: float
    task: NotRequired[int | None]


class CallLine(TypedDict):
    """A line of `toryo trace --json`: something asked of a model."""

    toryo: Literal[1]
    kind: Literal["call"]
    at: float
    session: str
    task: str | None
    run: str | None
    question: str
    provider: NotRequired[str]
    model: str
    seconds: float
    stop: str | None
    trouble: str | None
    message: NotRequired[str | None]
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float
    is_estimate: bool
    system: NotRequired[str]
    messages: NotRequired[list[dict[str, Any]]]
    reply: NotRequired[str | None]


class RunLine(UsageRow):
    """A line of `toryo trace --json`: an agent's run."""

    toryo: Literal[1]
    kind: Literal["run"]
    at: float
    session: str
    task: str
    key: str
    run: str
    number: int
    agent: str
    conversation: str
    state: RunState
    seconds: float | None
    code: int | None
    ended_by: EndedBy | None
    outcome: Outcome | None
    disposition: Disposition | None
    reasons: list[str]
    prompt: NotRequired[str | None]
    last_words: str


class WatchLine(TypedDict):
    """A line of `toryo watch --json`; `what` may get further words."""

    toryo: Literal[1]
    kind: Literal["watch"]
    at: float
    what: str
    says: str
    intent: str | None
    session: str | None


class WatcherAnswer(TypedDict):
    """`toryo watch --detach --json`, and `--stop`"""

    toryo: Literal[1]
    kind: Literal["watcher"]
    watcher: int | None
    ended: NotRequired[int | None]


class QueuedRow(TypedDict):
    place: int | None
    state: str
    session: str | None
    intent: str | None
    title: str


class QueueAnswer(TypedDict):
    """`toryo queue --json`"""

    toryo: Literal[1]
    kind: Literal["queue"]
    queue: list[QueuedRow]
    attendant: int | None
    watcher: int | None
