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


@dataclass(frozen=True, slots=True)
class PrepareWorkspace(RunEffect):
    pass


@dataclass(frozen=True, slots=True)
class StartRun(RunEffect):
    pass


@dataclass(frozen=True, slots=True)
class AwaitRun(RunEffect):
    pass


@dataclass(frozen=True, slots=True)
class StopRun(RunEffect):
    pass


@dataclass(frozen=True, slots=True)
class ObserveWork(RunEffect):
    pass


@dataclass(frozen=True, slots=True)
class RunCheck(RunEffect):
    check: str


@dataclass(frozen=True, slots=True)
class JudgeRun(RunEffect):
    pass


@dataclass(frozen=True, slots=True)
class MergeTask(TaskEffect):
    tip: str


@dataclass(frozen=True, slots=True)
class GiveUpResolution(TaskEffect):
    """The conflict-resolution of this task is blocked: decide what becomes of the task."""


@dataclass(frozen=True, slots=True)
class BlockTask(TaskEffect):
    """Our machinery failed at this task too often."""

    message: str


@dataclass(frozen=True, slots=True)
class RemoveWorkspace(TaskEffect):
    pass


@dataclass(frozen=True, slots=True)
class SessionEffect(Effect):
    seq: int
    not_before: float


@dataclass(frozen=True, slots=True)
class SettleWork(SessionEffect):
    pass


@dataclass(frozen=True, slots=True)
class ProveSession(SessionEffect):
    tip: str


@dataclass(frozen=True, slots=True)
class Conclude(SessionEffect):
    pass


@dataclass(frozen=True, slots=True)
class HoldSession(SessionEffect):
    """Our machinery failed at the session as a whole too often."""

    message: str
