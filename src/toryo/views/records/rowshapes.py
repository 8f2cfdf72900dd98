"""The shapes of what Toryo's own answers are made of; later versions may add fields to them."""

from typing import Literal, TypedDict

from toryo.domain.evidence import CheckStatus, Operation
from toryo.domain.hygiene import Level, Rule
from toryo.domain.intent import Risk, Severity
from toryo.domain.landing import LandingMode, RequestState
from toryo.domain.plan import TaskType
from toryo.domain.run import EndedBy, RunState
from toryo.domain.session import SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome
from toryo.views.criteria import Standing
from toryo.views.records import shapes
from toryo.views.records.enums import TaskLogStatus, TaskStatus


class UsageRow(TypedDict):
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float


class CallsRow(UsageRow):
    count: int
    has_estimates: bool


class CheckRow(TypedDict):
    name: str
    status: CheckStatus
    code: int | None
    seconds: float


class PauseRow(TypedDict):
    credential: str
    until: float | None
    reason: BlockReason
    message: str


class JudgementRow(TypedDict):
    complete: bool
    score: int
    missing: list[str]
    suggestions: list[str]
    by: str


class AmountRow(TypedDict):
    """Of one thing that a budget limits."""

    limit: float | None
    used: float
    reserved: float
    left: float | None


class BudgetRow(TypedDict):
    tokens: AmountRow
    usd: AmountRow
    wall: AmountRow
    runs: AmountRow


class TaskViolation(shapes.LimitViolation):
    task: str


class RequestRow(TypedDict):
    branch: str
    base: str
    task: str | None
    number: int | None
    url: str | None
    state: RequestState


class LandingRow(TypedDict):
    mode: LandingMode
    target: str
    squash: bool
    partial: bool
    by: str
    commit: str | None
    before: str | None
    landed_at: float | None
    requests: list[RequestRow]


class SessionRow(TypedDict):
    id: str
    title: str
    state: SessionState
    outcome: Outcome | None
    landed: bool
    waits_for_person: bool
    waits_for: str | None
    pause_reason: str
    base_branch: str
    branch: str
    opened_at: float
    updated_at: float
    closed_at: float | None
    queued_at: float | None
    turn: float | None
    intent: str | None
    released_by: str | None
    risk: Risk | None
    risk_why: str | None
    tasks: dict[str, int]
    source: str
    base_commit: str
    tip: str
    parallel: int
    checks: list[str]
    proof: list[CheckRow]
    usage: UsageRow
    budget: BudgetRow
    calls: CallsRow
    instruction: str | None
    spec: str | None
    judgement: JudgementRow | None
    landing: LandingRow | None
    pauses: list[PauseRow]
    violations: list[TaskViolation]
    next_action: bool


class MessageRow(TypedDict):
    speaker: str
    text: str


class FindingRow(TypedDict):
    """What an audit found; `confirmed`: its place is there."""

    severity: Severity
    path: str
    line: int | None
    title: str
    why: str
    suggestion: str
    focus: str | None
    confirmed: bool
    intent: str | None
    known: bool


class PursuitRow(TypedDict):
    """The way of the intent that a session works on."""

    intent: str
    type: str | None
    risk: Risk | None
    why: str
    steps: list[str]
    adjustments: list[str]
    released_by: str | None
    intents: list[str]
    findings: list[FindingRow]


class SessionDetails(SessionRow):
    version: int
    conversation: list[MessageRow]
    conversation_summary: str | None
    continuations: int
    pursuit: PursuitRow | None
    record: shapes.Session


class ReviewRow(TypedDict):
    opinion: str
    reason: str
    missing: list[str]
    issues: list[str]
    remarks: list[str]
    suggestions: list[str]


class CollisionRow(TypedDict):
    """With whom a task's work is foreseen to collide; the task and key are null for the merged work."""

    task: str | None
    key: str | None
    files: list[str]


class HeldUpRow(TypedDict):
    """The task that is at work on the same files."""

    task: str
    key: str
    path: str


class TaskRow(TypedDict):
    id: str
    key: str
    title: str
    type: TaskType
    agent: str
    state: TaskState
    says: str
    held_up_by: HeldUpRow | None
    collisions: list[CollisionRow]
    outcome: Outcome | None
    unchecked: bool
    attempts: int
    depends_on: list[str]
    branch: str
    block_reason: BlockReason | None
    reason: str
    base: str | None
    commit: str | None
    merge_commit: str | None
    resolves: str | None
    replaces: str | None
    question: str | None
    review: ReviewRow | None
    usage: UsageRow


class RecordedTaskRow(TaskRow):
    record: shapes.Task


class FileRow(TypedDict):
    path: str
    change: Literal["created", "modified", "deleted"]
    exists: bool


class BlemishRow(TypedDict):
    rule: Rule
    path: str
    line: int
    text: str
    level: Level


class ReportRow(TypedDict):
    usage: UsageRow
    trouble: str | None
    message: str
    until: float | None
    last_words: str
    question: str | None


class RunRow(TypedDict):
    id: str
    number: int
    agent: str
    conversation: str
    state: RunState
    pid: int | None
    started_at: float | None
    ended_at: float | None
    code: int | None
    ended_by: EndedBy | None
    trouble: str
    files: list[FileRow]
    blemishes: list[BlemishRow]
    protected: list[str]
    checks: list[CheckRow]
    before: list[CheckRow]
    result: str | None
    outcome: Outcome | None
    disposition: Disposition | None
    question: str | None
    report: ReportRow | None
    log: str
    reasons: list[str]


class RunDetails(RunRow):
    status: Literal["SUCCESS", "FAILURE", "TIMEOUT"] | None
    error_message: str | None


class EvidenceRow(TypedDict):
    id: str
    operation: Operation
    at: float
    facts: dict[str, str]
    log: str | None
    log_sha256: str | None
    sensitive: bool
    previous: str | None
    sha256: str


class PermissionRow(TypedDict):
    by: str
    why: str
    what: str


class CriterionRow(TypedDict):
    task: str
    criterion: str
    status: Standing
    by: list[str]
    why: str | None


class _TaskDetails(TaskRow):
    description: str
    acceptance: list[str]
    scope: list[str]
    expect: list[str]
    permissions: list[PermissionRow]
    checks: list[str]
    criteria: list[CriterionRow]
    violations: list[shapes.LimitViolation]
    approvals: list[str]
    feedback: str
    evidence: list[EvidenceRow]


class TaskDetails(_TaskDetails):
    runs: list[RunRow]


class RecordedTask(_TaskDetails):
    runs: list[RunDetails]
    record: shapes.Task
    result: shapes.TaskResult


class GroupedTask(TypedDict):
    task_id: str
    external_task_id: str
    key: str
    title: str
    state: TaskState
    says: str
    log_status: TaskLogStatus
    status: TaskStatus
    error_reason: str | None
    question: str | None
    duration_ms: int
