"""The words that task logs, results and rounds use for their states."""

from enum import StrEnum

from toryo.domain.repl import Provider as Provider
from toryo.domain.verdict import Outcome

OverallStatus = Outcome
TaskStatus = Outcome


class Phase(StrEnum):
    """How far a session is, in the order in which it goes through them."""

    REQUIREMENT_ANALYSIS = "REQUIREMENT_ANALYSIS"
    TASK_DECOMPOSITION = "TASK_DECOMPOSITION"
    PLANNING = "PLANNING"
    EXECUTION = "EXECUTION"
    QA = "QA"
    COMPLETION_VALIDATION = "COMPLETION_VALIDATION"
    REPORT = "REPORT"


class TaskLogStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    ERROR = "error"

    @property
    def is_terminal(self) -> bool:
        return self not in (TaskLogStatus.QUEUED, TaskLogStatus.RUNNING)

    @property
    def needs_reason(self) -> bool:
        return self in (TaskLogStatus.INCOMPLETE, TaskLogStatus.ERROR)


class LogEventType(StrEnum):
    USER_INPUT = "USER_INPUT"
    RUNNER_CLARIFICATION = "RUNNER_CLARIFICATION"
    USER_RESPONSE = "USER_RESPONSE"
    TASK_STARTED = "TASK_STARTED"
    TASK_COMPLETED = "TASK_COMPLETED"
    TASK_INCOMPLETE = "TASK_INCOMPLETE"
    TASK_ERROR = "TASK_ERROR"
    EVIDENCE_MISSING = "EVIDENCE_MISSING"
    LLM_MEDIATION_REQUEST = "LLM_MEDIATION_REQUEST"
    LLM_MEDIATION_RESPONSE = "LLM_MEDIATION_RESPONSE"
    EXECUTOR_DISPATCH = "EXECUTOR_DISPATCH"
    EXECUTOR_OUTPUT = "EXECUTOR_OUTPUT"
    EXECUTOR_BLOCKED = "EXECUTOR_BLOCKED"
    FILE_OPERATION = "FILE_OPERATION"
    TEST_EXECUTION = "TEST_EXECUTION"


class BlockedReason(StrEnum):
    """Why an agent could not go on by itself."""

    INTERACTIVE_PROMPT = "INTERACTIVE_PROMPT"
    TIMEOUT = "TIMEOUT"
    STDIN_REQUIRED = "STDIN_REQUIRED"


class TerminatedBy(StrEnum):
    REPL_FAIL_CLOSED = "REPL_FAIL_CLOSED"
    """Toryo, since nobody was there to answer."""
    USER = "USER"
    TIMEOUT = "TIMEOUT"


class VisibilityLevel(StrEnum):
    SUMMARY = "summary"
    FULL = "full"


class DetectionMethod(StrEnum):
    DIFF = "diff"
    """Before and after were compared."""
    EXECUTOR_CLAIM = "executor_claim"
    """Only named beforehand; the comparison does not show it."""


class ThreadType(StrEnum):
    MAIN = "main"
    BACKGROUND = "background"
    SYSTEM = "system"


class RunStatus(StrEnum):
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class RunTrigger(StrEnum):
    USER_INPUT = "USER_INPUT"
    USER_RESPONSE = "USER_RESPONSE"
    CONTINUATION = "CONTINUATION"
    EXECUTOR = "EXECUTOR"
