"""What is needed to see whether files can still be parsed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from toryo.domain.facts import fact


@fact
class Parsable:
    """A changed file, the grammar it is written in, and the id of what it held before, if it was there."""

    grammar: str
    file: Path
    base: str = ""


class Parsers(Protocol):
    async def newly_broken(self, files: Sequence[Parsable]) -> list[int]:
        """For each file the first line at fault, if it has one now and had none before; else 0.

        Whoever cannot tell says 0: only what is known to be wrong speaks against anybody.
        """
