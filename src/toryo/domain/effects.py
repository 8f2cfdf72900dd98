"""What should be under way. Equal effects are the same work; their fields are their identity."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    pass


@dataclass(frozen=True, slots=True)
class TaskEffect(Effect):
    task: int
    tries: int
    not_before: float


@dataclass(frozen=True, slots=True)
class PlanRun(TaskEffect):
    number: int


@dataclass(frozen=True, slots=True)
class RunEffect(TaskEffect):
    run: str


class PrepareWorkspace(RunEffect):
    __slots__ = ()


class StartRun(RunEffect):
    __slots__ = ()


class AwaitRun(RunEffect):
    __slots__ = ()


class StopRun(RunEffect):
    __slots__ = ()


class ObserveWork(RunEffect):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class RunCheck(RunEffect):
    check: str


class JudgeRun(RunEffect):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MergeTask(TaskEffect):
    tip: str


class GiveUpResolution(TaskEffect):
    """The conflict-resolution of this task is blocked: decide what becomes of the task."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class BlockTask(TaskEffect):
    """Our machinery failed at this task too often."""

    message: str


class RemoveWorkspace(TaskEffect):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SessionEffect(Effect):
    seq: int
    not_before: float


class SettleWork(SessionEffect):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ProveSession(SessionEffect):
    tip: str


class Conclude(SessionEffect):
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class HoldSession(SessionEffect):
    """Our machinery failed at the session as a whole too often."""

    message: str
