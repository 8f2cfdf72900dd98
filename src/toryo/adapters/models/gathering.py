"""A reply as it grows."""

from collections.abc import Callable

from toryo.adapters.models.wire import MOST_TEXT
from toryo.domain.calls import Call, Reply, Stop
from toryo.domain.report import Trouble, Usage
from toryo.rules.callfailures import failure
from toryo.rules.counting import estimated_usage, priced


class Gathering:
    """Pieces of text, why they ended, and what they cost."""

    def __init__(self, hear: Callable[[str], None], model: str) -> None:
        self._hear = hear
        self._pieces: list[str] = []
        self._length = 0
        self.heard_pieces = False
        """The text comes in pieces; what is said again as a whole is not added."""
        self.model = model
        self.stop: Stop | None = None
        """None: it is not over."""
        self.usage: Usage | None = None

    def add(self, piece: str) -> None:
        if not piece:
            return
        self._length += len(piece)
        if self._length > MOST_TEXT:
            raise failure(Trouble.OTHER, f"the reply is longer than {MOST_TEXT // 1_000_000} million characters")
        self._pieces.append(piece)
        self._hear(piece)

    @property
    def has_text(self) -> bool:
        return self._length > 0

    def end(self, stop: Stop) -> None:
        """A refusal stays one, whatever is said later."""
        if self.stop is not Stop.REFUSAL:
            self.stop = stop

    def reply(self, call: Call, price_in: float, price_out: float) -> Reply:
        if self.stop is None:
            raise failure(Trouble.API, "the connection was closed before the reply was over")
        text = "".join(self._pieces)
        usage = self.usage or estimated_usage(call, text)
        return Reply(text, self.stop, priced(usage, price_in, price_out), self.usage is None, self.model)
