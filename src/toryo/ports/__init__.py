"""What the engine needs from the world, as small protocols."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from toryo.domain.events import Event
from toryo.domain.facts import fact
from toryo.ports.foresight import Foresight as Foresight
from toryo.ports.foresight import Picture as Picture
from toryo.ports.foresight import Sight as Sight
from toryo.ports.git import Checkout as Checkout
from toryo.ports.git import Combined as Combined
from toryo.ports.git import Conflict as Conflict
from toryo.ports.git import Integration as Integration
from toryo.ports.git import Leftovers as Leftovers
from toryo.ports.git import Point as Point
from toryo.ports.git import Retreat as Retreat
from toryo.ports.git import Seat as Seat
from toryo.ports.git import Stand as Stand
from toryo.ports.git import WorktreeMissing as WorktreeMissing
from toryo.ports.git import Worktrees as Worktrees
from toryo.ports.landing import Clearing as Clearing
from toryo.ports.landing import Forge as Forge
from toryo.ports.landing import ForgeFailed as ForgeFailed
from toryo.ports.landing import Going as Going
from toryo.ports.landing import Heard as Heard
from toryo.ports.landing import Held as Held
from toryo.ports.landing import Impact as Impact
from toryo.ports.landing import Remote as Remote
from toryo.ports.landing import Request as Request
from toryo.ports.landing import RequestDraft as RequestDraft
from toryo.ports.landing import RequestLook as RequestLook
from toryo.ports.landing import Target as Target
from toryo.ports.parsing import Parsers as Parsers
from toryo.ports.planning import Desk as Desk
from toryo.ports.planning import Model as Model
from toryo.ports.planning import Surveyed as Surveyed
from toryo.ports.running import Abilities as Abilities
from toryo.ports.running import Agent as Agent
from toryo.ports.running import Ended as Ended
from toryo.ports.running import Errand as Errand
from toryo.ports.running import Host as Host
from toryo.ports.running import Invocation as Invocation
from toryo.ports.running import Launch as Launch
from toryo.ports.running import Screen as Screen


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""

    async def sleep_until(self, moment: float) -> None: ...


# ── journal ──────────────────────────────────────────────────────────────────


class Journal(Protocol):
    def append(self, stream: str, after: int, events: Sequence[Event], summary: Mapping[str, object]) -> None:
        """Durably adds events as after+1, after+2, …; raises Clash if that place is taken."""

    def read(self, stream: str, after: int = 0) -> list[tuple[int, Event]]: ...

    def change_mark(self) -> int:
        """A number that changes whenever another process wrote."""


class _Absent:
    """In place of a port that a world without sessions does not need."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is nobody in this world for '{name}'")


_ABSENT: Any = _Absent()


def _never() -> bool:
    return False


@fact
class World:
    """All ports of one repository, as the performers get them."""

    clock: Clock
    host: Host
    worktrees: Worktrees
    integration: Integration
    checkout: Checkout
    agents: Mapping[str, Agent]
    store: Path
    root: Path
    environment: Mapping[str, str]
    """What every process of a session starts with."""
    desk: Desk | None = None
    """None: nothing is planned here, as for a plan file without reviews."""
    retreat: Retreat = _ABSENT
    foresight: Foresight = _ABSENT
    target: Target = _ABSENT
    clearing: Clearing = _ABSENT
    remote: Remote = _ABSENT
    forge: Forge = _ABSENT
    parsers: Parsers | None = None
    """None: nobody looks whether files can be parsed."""
    is_autonomous: Callable[[], bool] = _never
    """Whether Toryo may do by itself what else a person does, as the configuration is now."""

    def run_directory(self, run_id: str) -> Path:
        return self.store / "runs" / run_id
