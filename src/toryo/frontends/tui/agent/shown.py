"""What all that stands in the chat has in common: an item, and things that can be done about it."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import HorizontalGroup
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from toryo.frontends.tui.agent.items import Item
from toryo.views.screen import clean

_MOST = 20_000
"""Characters of one text; of what a person pasted all was sent, but the rest need not be read again."""


def content(text: str) -> Content:
    """A text as it is: never markup, nothing secret, nothing that steers the terminal."""
    more = len(text) - _MOST
    return Content(clean(text if more <= 0 else f"{text[:_MOST]}\n… (and {more:,} characters more)"))


def plain(text: str, *, classes: str | None = None) -> Static:
    return Static(content(text), markup=False, classes=classes)


class Shown(Widget):
    """One item. A newer one of the same name takes its place, here or by another widget."""

    DEFAULT_CSS = """
    Shown { height: auto; width: 1fr; }
    """

    def __init__(self, item: Item) -> None:
        super().__init__()
        self.item = item

    def take(self, item: Item) -> bool:
        """Shows the newer one instead; False: it cannot, and another widget has to."""
        return item.what == self.item.what


class Wanted(Message):
    """Somebody wants something done about an item: the face that has it sees to that."""

    def __init__(self, deed: str, item: Item) -> None:
        super().__init__()
        self.deed, self.item = deed, item


class Deed(NamedTuple):
    """Something that can be done with one key or a click."""

    key: str
    word: str
    name: str


class DeedWord(Static):
    """The key and the word; pressed with the mouse it is the same as the key."""

    DEFAULT_CSS = """
    DeedWord { width: auto; margin-right: 2; pointer: pointer; }
    DeedWord:hover { text-style: reverse; }
    """

    def __init__(self, deed: Deed, item: Item) -> None:
        super().__init__(Content.assemble((deed.key, "bold"), f" {deed.word}"), markup=False)
        self._deed, self._item = deed, item

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(Wanted(self._deed.name, self._item))


class Card(Shown):
    """An item with deeds: focused it takes their keys, Up and Down lead on."""

    DEFAULT_CSS = """
    Card {
        layout: vertical;
        margin: 0 0 1 0;
        padding: 0 1;
        border: round $foreground 35%;
    }
    Card:focus, Card:focus-within { border: round $border; }
    Card .deeds { height: 1; margin-top: 0; }
    Card .title { text-style: bold; }
    Card.-quiet { border: none; border-left: thick $panel; padding: 0 1; }
    """

    class Passed(Message):
        """Up or down, beyond what is in it."""

        def __init__(self, card: "Card", step: int) -> None:
            super().__init__()
            self.card, self.step = card, step

    def __init__(self, item: Item, deeds: Sequence[Deed] = ()) -> None:
        super().__init__(item)
        self.deeds = tuple(deeds)
        for deed in self.deeds:
            self._bindings.bind(deed.key, f"deed('{deed.name}')", deed.word.capitalize())
        self.can_focus = bool(self.deeds)

    def compose(self) -> ComposeResult:
        yield from self.inside()
        if self.deeds:
            with HorizontalGroup(classes="deeds"):
                for deed in self.deeds:
                    yield DeedWord(deed, self.item)

    def inside(self) -> ComposeResult:
        yield from ()

    def action_deed(self, name: str) -> None:
        self.post_message(Wanted(name, self.item))
