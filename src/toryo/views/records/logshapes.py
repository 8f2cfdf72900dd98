"""The shapes of task logs, of their events, and of the list of them; exact, like the others."""

from typing import Annotated, Literal, NotRequired, TypedDict

from toryo.views.records.enums import (
    BlockedReason,
    LogEventType,
    TaskLogStatus,
    TaskStatus,
    TerminatedBy,
    VisibilityLevel,
)
from toryo.views.records.shapes import ArtifactList, EvidenceSummary, Moment, VerifiedFile

LONGEST_SUMMARY = 100


class UserInput(TypedDict):
    text: str


class Clarification(TypedDict):
    question: str
    options: list[str]


class UserResponse(TypedDict):
    response: str
    selected_option: NotRequired[str]


class TaskStarted(TypedDict):
    action: str
    target_file: NotRequired[str]


class TaskEnded(TypedDict):
    status: TaskStatus
    files_modified: NotRequired[list[str]]
    evidence_ref: NotRequired[str]
    error_message: NotRequired[str]


class EvidenceMissing(TypedDict):
    error_message: str
    files_missing: list[str]


class MediationRequest(TypedDict):
    provider: str
    model: str
    prompt_summary: str
    tokens_input: int


class MediationResponse(TypedDict):
    provider: str
    model: str
    response_type: str
    tokens_output: int
    latency_ms: int


class Dispatch(TypedDict):
    executor: str
    task_summary: str


class Output(TypedDict):
    executor: str
    exit_code: int | None
    output_summary: str
    raw_output_ref: str


class Blocked(TypedDict):
    executor: str
    blocked_reason: BlockedReason
    detected_pattern: NotRequired[str]
    timeout_ms: int
    terminated_by: TerminatedBy
    termination_signal: NotRequired[Literal["SIGTERM", "SIGKILL"]]


class FileOperation(TypedDict):
    operation: Literal["created", "modified", "deleted", "merged", "taken back"]
    path: str
    exists: bool


class CheckExecution(TypedDict):
    name: str
    status: str
    exit_code: int | None
    duration_ms: int


Content = (
    UserInput
    | Clarification
    | UserResponse
    | TaskStarted
    | TaskEnded
    | EvidenceMissing
    | MediationRequest
    | MediationResponse
    | Dispatch
    | Output
    | Blocked
    | FileOperation
    | CheckExecution
)
CONTENTS: dict[LogEventType, type] = {
    LogEventType.USER_INPUT: UserInput,
    LogEventType.RUNNER_CLARIFICATION: Clarification,
    LogEventType.USER_RESPONSE: UserResponse,
    LogEventType.TASK_STARTED: TaskStarted,
    LogEventType.TASK_COMPLETED: TaskEnded,
    LogEventType.TASK_INCOMPLETE: TaskEnded,
    LogEventType.TASK_ERROR: TaskEnded,
    LogEventType.EVIDENCE_MISSING: EvidenceMissing,
    LogEventType.LLM_MEDIATION_REQUEST: MediationRequest,
    LogEventType.LLM_MEDIATION_RESPONSE: MediationResponse,
    LogEventType.EXECUTOR_DISPATCH: Dispatch,
    LogEventType.EXECUTOR_OUTPUT: Output,
    LogEventType.EXECUTOR_BLOCKED: Blocked,
    LogEventType.FILE_OPERATION: FileOperation,
    LogEventType.TEST_EXECUTION: CheckExecution,
}
"""What an event of each type holds."""


class LogEvent(TypedDict):
    event_type: LogEventType
    timestamp: Moment
    visibility_level: VisibilityLevel
    content: Content


class TaskLogSummary(TypedDict):
    """Of all events, also of those that are not shown."""

    total_events: int
    summary_events: int
    full_events: int
    total_tokens_input: int
    total_tokens_output: int
    total_latency_ms: int


class TaskLog(TypedDict):
    task_id: str
    session_id: str
    status: TaskLogStatus
    started_at: Moment
    ended_at: Moment | None
    prompt_summary: Annotated[str, ("maxLength", LONGEST_SUMMARY)]
    runner_decision: str
    error_reason: str | None
    artifacts: ArtifactList
    visibility: VisibilityLevel
    masked: Literal[True]
    events: Annotated[list[LogEvent], ("minItems", 1)]
    thread_id: NotRequired[str]
    run_id: NotRequired[str]
    parent_task_id: NotRequired[str | None]
    created_at: NotRequired[Moment]
    executor_summary: NotRequired[str]
    evidence_summary: NotRequired[EvidenceSummary]
    summary: NotRequired[TaskLogSummary]
    evidence_refs: NotRequired[list[str]]
    verification_root: NotRequired[str]
    verified_files: NotRequired[list[VerifiedFile]]
    executor_blocked: NotRequired[bool]
    blocked_reason: NotRequired[BlockedReason]
    timeout_ms: NotRequired[int]
    terminated_by: NotRequired[TerminatedBy]


class TaskLogEntry(TypedDict):
    task_id: Annotated[str, ("pattern", r"^task-\d{3,}$")]
    external_task_id: str
    thread_id: str
    run_id: str
    parent_task_id: str | None
    status: TaskStatus
    started_at: Moment
    completed_at: Moment | None
    duration_ms: int
    files_modified_count: int
    tests_run_count: int
    log_file: str


class TaskLogIndex(TypedDict):
    session_id: str
    created_at: Moment
    updated_at: Moment
    entries: list[TaskLogEntry]
