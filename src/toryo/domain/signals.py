"""What agents tell while they work, whatever their protocol: one small vocabulary for all of them."""

from toryo.domain.facts import fact
from toryo.domain.report import Trouble, Usage


@fact
class Signal:
    pass


@fact
class Named(Signal):
    """The conversation has this id."""

    conversation: str


@fact
class Took(Signal):
    """It took a prompt and begins to work on it, or goes on after a wait."""


@fact
class Said(Signal):
    text: str
    is_piece: bool = False
    """It continues what was said just before."""


@fact
class Used(Signal):
    """It used a tool; `detail` is the command, the file, whatever tells one use from another."""

    tool: str
    detail: str = ""


@fact
class Got(Signal):
    """What a tool gave back."""

    text: str
    failed: bool = False


PERMISSION = "may it use "
"""How a question begins that cannot be answered in words."""


@fact
class Asked(Signal):
    """It waits until a person answers this."""

    question: str


@fact
class Spent(Signal):
    """`share` adds up over signals; `total` replaces what the conversation has cost so far, runs before included."""

    share: Usage = Usage()
    total: Usage = Usage()


@fact
class Stalled(Signal):
    """Something keeps it from going on, and it tries again by itself."""

    trouble: Trouble
    message: str
    until: float = 0.0


@fact
class Finished(Signal):
    """Its turn is over, as it sees it."""

    last_words: str = ""


@fact
class Failed(Signal):
    """Its turn is over, and it says that it failed."""

    trouble: Trouble
    message: str
    until: float = 0.0


@fact
class Noted(Signal):
    """Anything else it printed."""

    text: str


@fact
class Elsewhere(Signal):
    """More of what it tells is written to this file."""

    path: str
