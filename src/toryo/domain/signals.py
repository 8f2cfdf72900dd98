"""What agents tell while they work, whatever their protocol: one small vocabulary for all of them."""

from dataclasses import dataclass

from toryo.domain.facts import Fact
from toryo.domain.report import Trouble, Usage


@dataclass(frozen=True, slots=True, eq=False)
class Signal(Fact):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Named(Signal):
    """The conversation has this id."""

    conversation: str


@dataclass(frozen=True, slots=True, eq=False)
class Took(Signal):
    """It took a prompt and begins to work on it, or goes on after a wait."""


@dataclass(frozen=True, slots=True, eq=False)
class Said(Signal):
    text: str
    is_piece: bool = False
    """It continues what was said just before."""


@dataclass(frozen=True, slots=True, eq=False)
class Used(Signal):
    """It used a tool; `detail` is the command, the file, whatever tells one use from another."""

    tool: str
    detail: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Got(Signal):
    """What a tool gave back."""

    text: str
    failed: bool = False


PERMISSION = "may it use "
"""How a question begins that cannot be answered in words."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked(Signal):
    """It waits until a person answers this."""

    question: str


@dataclass(frozen=True, slots=True, eq=False)
class Spent(Signal):
    """`share` adds up over signals; `total` replaces what the conversation has cost so far, runs before included."""

    share: Usage = Usage()
    total: Usage = Usage()


@dataclass(frozen=True, slots=True, eq=False)
class Stalled(Signal):
    """Something keeps it from going on, and it tries again by itself."""

    trouble: Trouble
    message: str
    until: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Finished(Signal):
    """Its turn is over, as it sees it."""

    last_words: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Failed(Signal):
    """Its turn is over, and it says that it failed."""

    trouble: Trouble
    message: str
    until: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Noted(Signal):
    """Anything else it printed."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere(Signal):
    """More of what it tells is written to this file."""

    path: str
