"""What happens to a task's run, from its claim to the verdict on its work."""

from toryo.domain.event import TaskEvent
from toryo.domain.evidence import CheckResult, Evidence
from toryo.domain.facts import fact
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation
from toryo.domain.verdict import BlockReason, Verdict


@fact
class RunPlanned(TaskEvent):
    """A slot is claimed and every name is settled, before anything starts."""

    run: str
    agent: str
    conversation: str


@fact
class WorkspacePrepared(TaskEvent):
    run: str
    base: str
    base_tree: str
    head: str
    evidence: tuple[Evidence, ...] = ()


@fact
class WorkspaceRefused(TaskEvent):
    """The place to work in could not be made ready; the task waits for a person."""

    run: str
    reason: BlockReason
    detail: str
    evidence: tuple[Evidence, ...] = ()


@fact
class BasesConflicted(TaskEvent):
    """The branches it depends on do not merge; it waits until they are integrated."""

    run: str
    files: tuple[str, ...]


@fact
class BaseChecked(TaskEvent):
    """A check ran on the files that the task starts from."""

    run: str
    result: CheckResult
    evidence: tuple[Evidence, ...] = ()


@fact
class RunStarted(TaskEvent):
    run: str
    pid: int


@fact
class ConversationNamed(TaskEvent):
    """The agent chose the id of its conversation itself."""

    run: str
    conversation: str


@fact
class RunWaited(TaskEvent):
    """It waits for a person."""

    run: str
    question: str


@fact
class RunStalled(TaskEvent):
    """It cannot go on for now, and tries again by itself."""

    run: str
    trouble: Trouble
    message: str
    until: float = 0.0


@fact
class RunFellSilent(TaskEvent):
    """Nothing was heard of it for so long that nobody knows whether it works."""

    run: str
    since: float


@fact
class RunWentOn(TaskEvent):
    """It works again, after a wait, a stall or a silence."""

    run: str


@fact
class RunExited(TaskEvent):
    run: str
    code: int
    ended_by: EndedBy
    reaped: int = 0
    evidence: tuple[Evidence, ...] = ()
    ended_at: float = 0.0
    """When its process ended, which may be long before anybody noticed."""
    report: Report | None = None


@fact
class RunStopped(TaskEvent):
    run: str
    reaped: int = 0
    report: Report | None = None


@fact
class RunLost(TaskEvent):
    """Its wrapper is gone and left no exit record."""

    run: str
    why: str
    report: Report | None = None
    evidence: tuple[Evidence, ...] = ()


@fact
class WorkObserved(TaskEvent):
    run: str
    observation: Observation
    evidence: tuple[Evidence, ...] = ()


@fact
class CheckFinished(TaskEvent):
    run: str
    result: CheckResult
    evidence: tuple[Evidence, ...] = ()


@fact
class VerdictReached(TaskEvent):
    run: str
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
