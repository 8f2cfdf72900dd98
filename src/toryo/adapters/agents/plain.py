"""What agents without a protocol have in common: their output is for people and says nothing to Toryo."""

from collections.abc import Iterable

from toryo.domain.run import Mode
from toryo.domain.signals import Signal
from toryo.ports import Abilities


class Plain:
    name: str
    credential: str
    mode = Mode.HEADLESS
    abilities = Abilities()
    passes: tuple[str, ...] = ()

    def program(self) -> str | None:
        return None

    def read(self, line: str, at: float) -> Iterable[Signal]:  # noqa: ARG002
        return ()
