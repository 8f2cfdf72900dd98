"""Lines of work that will not merge, seen while they are still being worked on."""

from toryo.domain.event import Event, TaskEvent
from toryo.domain.facts import fact
from toryo.domain.report import Report


@fact
class Collision:
    """What a task has done so far does not go together with another's work, in these files."""

    task: int
    """Of two tasks, the one with the higher number."""
    other: int | None
    """None: the work that is merged already."""
    files: tuple[str, ...]


@fact
class Touched:
    """Files that a live task was seen to change though it did not declare them, and another task means to change."""

    task: int
    files: tuple[str, ...]


@fact
class SetAside:
    """Why a task's run was stopped: its work so far is kept as a commit, and it goes on from the other's."""

    behind: int
    files: tuple[str, ...]
    commit: str


@fact
class CollisionsForeseen(Event):
    """The whole picture as it is now; only recorded when it differs from the last one."""

    collisions: tuple[Collision, ...]
    touched: tuple[Touched, ...] = ()


@fact
class TaskSetAside(TaskEvent):
    """Its run is stopped, without an attempt being used: it goes on once the other task is merged."""

    run: str
    behind: int
    files: tuple[str, ...]
    commit: str
    tree: str
    reaped: int = 0
    report: Report | None = None
