"""What should be under way. Equal effects are the same work; their fields are their identity."""

from toryo.domain.facts import fact
from toryo.domain.verdict import BlockReason


@fact
class Effect:
    pass


@fact
class TaskEffect(Effect):
    task: int
    tries: int
    not_before: float


@fact
class PlanRun(TaskEffect):
    number: int


@fact
class RunEffect(TaskEffect):
    run: str


class PrepareWorkspace(RunEffect):
    __slots__ = ()


class StartRun(RunEffect):
    __slots__ = ()


@fact
class AwaitRun(RunEffect):
    remarks: int = 0
    """How much of what it told is recorded: once more is, waiting begins anew."""


class StopRun(RunEffect):
    __slots__ = ()


class ObserveWork(RunEffect):
    __slots__ = ()


@fact
class RunCheck(RunEffect):
    check: str


class JudgeRun(RunEffect):
    __slots__ = ()


@fact
class MergeTask(TaskEffect):
    tip: str


class GiveUpResolution(TaskEffect):
    """The conflict-resolution of this task is blocked: decide what becomes of the task."""

    __slots__ = ()


@fact
class BlockTask(TaskEffect):
    """Leave the task to a person: our machinery failed at it too often, or its agent cannot be used."""

    message: str
    reason: BlockReason = BlockReason.SYSTEM_ERROR


class RemoveWorkspace(TaskEffect):
    __slots__ = ()


@fact
class SessionEffect(Effect):
    seq: int
    not_before: float


class SettleWork(SessionEffect):
    __slots__ = ()


@fact
class ProveSession(SessionEffect):
    tip: str


class Conclude(SessionEffect):
    __slots__ = ()


@fact
class HoldSession(SessionEffect):
    """Our machinery failed at the session as a whole too often."""

    message: str
