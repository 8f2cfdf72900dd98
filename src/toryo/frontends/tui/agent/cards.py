"""Cards about whole sessions: one that was left unfinished, and what came of one."""

from textual.app import ComposeResult
from textual.binding import Binding

from toryo.app.offering import Offer
from toryo.frontends.tui.agent.items import Item
from toryo.frontends.tui.agent.shown import Card, Deed, plain
from toryo.views.entries import Entry
from toryo.views.moments import moment_words

RESUME = Deed("r", "resume", "resume")
DISCARD = Deed("x", "discard …", "discard")
LEAVE = Deed("l", "leave it", "leave")
_AFTERWARDS = {
    "resume": RESUME,
    "inbox": Deed("i", "inbox", "inbox"),
    "merge": Deed("m", "merge", "merge"),
    "pr": Deed("p", "pull request", "pr"),
    "report": Deed("t", "report", "report"),
    "diff": Deed("d", "diff", "diff"),
}


class OfferCard(Card):
    """A session that was left unfinished, and that nobody works on."""

    BINDINGS = [Binding("enter", "deed('resume')", "Resume")]

    def __init__(self, item: Item) -> None:
        super().__init__(item, (RESUME, DISCARD, LEAVE))

    def inside(self) -> ComposeResult:
        offer = self.item.what
        assert isinstance(offer, Offer)
        yield plain(f"unfinished: {offer.title}", classes="title")
        yield plain(f"{offer.short} · {offer.stands} · last {moment_words(offer.at)}")


class SummaryCard(Card):
    """What came of it all, and what next."""

    def __init__(self, item: Item) -> None:
        super().__init__(item, [_AFTERWARDS[name] for name in item.can])

    def take(self, item: Item) -> bool:
        return super().take(item) and item.can == self.item.can

    def inside(self) -> ComposeResult:
        entry = self.item.what
        assert isinstance(entry, Entry)
        yield plain(entry.text, classes="title")
        if entry.notes:
            yield plain("\n".join(f"→ {note}" for note in entry.notes))
