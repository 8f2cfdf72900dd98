"""The shapes of sessions, tasks, evidence and results; no field may be added, left out or read differently."""

from typing import Annotated, Any, NotRequired, TypedDict

from toryo.domain.limits import LimitType
from toryo.domain.locks import LockType
from toryo.views.records.enums import (
    DetectionMethod,
    OverallStatus,
    Phase,
    RunStatus,
    RunTrigger,
    TaskStatus,
    ThreadType,
)

Moment = Annotated[str, ("pattern", r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""A time in ISO 8601, in UTC, with milliseconds."""


class TaskLimits(TypedDict):
    """None where a task has no such limit."""

    max_files: int | None
    max_tests: int | None
    max_seconds: float | None


class LimitViolation(TypedDict):
    limit_type: LimitType
    limit_value: float
    actual_value: float
    timestamp: Moment
    resolution_required: bool


class Session(TypedDict):
    session_id: str
    started_at: Moment
    target_project: str
    runner_version: str
    configuration: dict[str, Any]
    current_phase: Phase
    status: str
    continuation_approved: bool
    limit_violations: list[LimitViolation]
    selected_provider: str | None
    selected_model: str | None


class Thread(TypedDict):
    thread_id: str
    session_id: str
    thread_type: ThreadType
    created_at: Moment
    description: NotRequired[str]


class Run(TypedDict):
    """A round of a session; an agent's run is something else."""

    run_id: str
    thread_id: str
    session_id: str
    started_at: Moment
    completed_at: Moment | None
    status: RunStatus
    trigger: RunTrigger


class CheckRun(TypedDict):
    """One check, as Toryo ran it."""

    name: str
    status: str
    exit_code: int | None
    duration_ms: int


class Task(TypedDict):
    task_id: str
    thread_id: str
    run_id: str
    parent_task_id: str | None
    description: str
    requirements: list[str]
    status: TaskStatus
    assigned_executor: NotRequired[str]
    evidence_refs: list[str]
    files_modified: list[str]
    tests_run: list[CheckRun]
    tests_required_before_implementation: bool
    granularity_limits: TaskLimits
    decomposition_approved_by_runner: bool
    log_ref: str


class VerifiedFile(TypedDict):
    path: str
    exists: bool
    detected_at: Moment
    detection_method: DetectionMethod


class EvidenceSummary(TypedDict):
    files_expected: list[str]
    files_verified: list[str]
    files_missing: list[str]
    verification_passed: bool
    verification_reason: str
    verified_files: NotRequired[list[VerifiedFile]]


class ArtifactList(TypedDict):
    files_touched: list[str]
    files_expected: list[str]
    files_created: list[str]
    files_modified: list[str]
    files_deleted: list[str]


class Evidence(TypedDict):
    evidence_id: str
    timestamp: Moment
    operation_type: str
    executor_id: NotRequired[str]
    artifacts: list[str]
    hash: Annotated[str, ("pattern", "^[0-9a-f]{64}$")]
    raw_logs: str
    atomic_operation: bool
    raw_evidence_refs: list[str]
    integrity_validated: bool
    contains_sensitive_data: bool


class EvidenceInventory(TypedDict):
    total_evidence_items: int
    missing_evidence_operations: list[str]
    integrity_failures: list[str]
    raw_evidence_files: list[str]


class TaskResult(TypedDict):
    task_id: str
    status: TaskStatus
    started_at: Moment
    completed_at: NotRequired[Moment]
    error: NotRequired[str]
    evidence: list[Evidence]
    clarification_needed: bool
    clarification_question: NotRequired[str]


class ExecutionResult(TypedDict):
    overall_status: OverallStatus
    tasks: list[Task]
    evidence_summary: EvidenceSummary
    next_action: bool
    next_action_reason: NotRequired[str]
    violations: list[LimitViolation]
    session_id: str
    incomplete_task_reasons: list[str]
    evidence_inventory: EvidenceInventory
    speculative_language_detected: bool
    selected_provider: str | None
    selected_model: str | None


class FileLock(TypedDict):
    lock_id: str
    file_path: str
    holder_executor_id: str
    acquired_at: Moment
    expires_at: Moment
    lock_type: LockType


class ThreadName(TypedDict):
    thread_id: str
    thread_type: ThreadType


class RoundName(TypedDict):
    run_id: str
    thread_id: str
    status: RunStatus


class SessionMetadata(TypedDict):
    """A session's threads and rounds, in short."""

    session_id: str
    started_at: Moment
    threads: list[ThreadName]
    runs: list[RoundName]
