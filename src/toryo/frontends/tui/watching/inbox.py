"""The inbox: what waits for a person, the riskiest first, decided with one key."""

import time
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from toryo.app.inboxdoor import more_about
from toryo.app.waiting import Waiting
from toryo.domain.intent import Risk
from toryo.frontends.tui.keyline import KeyLine
from toryo.frontends.tui.watching.asking import Deciding
from toryo.frontends.tui.watching.hearing import HearingScreen
from toryo.frontends.tui.watching.linestyles import of_item
from toryo.frontends.tui.watching.longtext import LongText
from toryo.frontends.tui.watching.task import TaskScreen
from toryo.frontends.tui.watching.tasks import SessionScreen
from toryo.rules.durations import say_duration
from toryo.views.inboxitems import Choice, Item, where
from toryo.views.inboxlist import item_text
from toryo.views.screen import clean

_CHOICES = {choice.value: choice for choice in Choice}
_WIDE = 110
_MOMENT = 0.15
"""Seconds somebody has to stay at one before more is looked up about it."""
_STYLES = {Risk.HIGH: "bold", Risk.LOW: "dim"}
NOTHING = "nothing waits for you"


class InboxScreen(HearingScreen):
    """The list, and the whole of what the chosen one asks."""

    BINDINGS = [
        Binding("a", "decide('approve')", "Approve", tooltip="Let it be done, or its work through"),
        Binding("w", "decide('answer')", "Answer", tooltip="Answer what it asks"),
        Binding("r", "decide('reject')", "Reject", tooltip="Not like that, and why"),
        Binding("t", "decide('retry')", "Try again", tooltip="Once more, with words for the agent"),
        Binding("enter", "look", "Look", tooltip="The task or session it is about", priority=True),
        Binding("tab", "other_side", "List or text", show=False, priority=True),
        Binding("f3", "app.pop_screen", "Back", show=False),
    ]
    DEFAULT_CSS = """
    InboxScreen {
        #head { height: 1; background: $panel; padding: 0 1; text-style: bold; }
        #sides { layout: vertical; height: 1fr; }
        OptionList {
            height: 2fr; border: none; padding: 0; background: $background; scrollbar-size-vertical: 1;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
        LongText { height: 3fr; border-top: solid $primary; }
        &.wide #sides { layout: horizontal; }
        &.wide OptionList { width: 2fr; height: 1fr; }
        &.wide LongText { width: 3fr; height: 1fr; border-top: none; border-left: solid $primary; }
    }
    """

    def __init__(self, waiting: Waiting | None = None) -> None:
        super().__init__()
        self._waiting = waiting
        self._items: tuple[Item, ...] = ()

    def compose(self) -> ComposeResult:
        yield Static("Inbox", id="head", markup=False)
        with Container(id="sides"):
            yield OptionList(markup=False, compact=True)
            yield LongText("item", of_item)
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self._show_items()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= _WIDE, "wide")

    # ── what is shown ────────────────────────────────────────────────────────

    def hear_waiting(self, waiting: Waiting) -> None:
        self._waiting = waiting
        if waiting.items != self._items or not self._items:
            self._show_items()

    def _show_items(self) -> None:
        if self._waiting is None or not self.query(OptionList):
            return  # nobody has looked yet, or the screen is being made, or goes away
        before, self._items = self._chosen, self._waiting.items
        listed = self.query_one(OptionList)
        place = listed.highlighted or 0
        listed.clear_options()
        listed.add_options(Option(_entry(item, time.time())) for item in self._items)
        if self._items:
            listed.highlighted = self._place_of(before, place)
        count = len(self._items)
        self.query_one("#head", Static).update(f"Inbox: {count} to decide" if count else f"Inbox: {NOTHING}")
        self._show_item()

    def _place_of(self, item: Item | None, otherwise: int) -> int:
        """Who looks at one goes on looking at it, wherever it stands now."""
        same = [place for place, one in enumerate(self._items) if item and _same(one, item)]
        return same[0] if same else min(otherwise, len(self._items) - 1)

    @property
    def _chosen(self) -> Item | None:
        # Asked for keys also while the screen is being made, and while it goes away.
        place = next((listed.highlighted for listed in self.query(OptionList)), None)
        return self._items[place] if place is not None and place < len(self._items) else None

    @on(OptionList.OptionHighlighted)
    def _show_item(self) -> None:
        item, text = self._chosen, self.query_one(LongText)
        lines = list(item_text(item)) if item else [NOTHING, "", "What needs you appears here by itself."]
        text.put(clean("\n".join(lines)).split("\n"))
        self.refresh_bindings()
        if item:
            self.set_timer(_MOMENT, partial(self._look_up, item, lines))

    def _look_up(self, item: Item, lines: list[str]) -> None:
        if item is not self._chosen:
            return

        def put(more: list[str]) -> None:
            if more and item is self._chosen and self.is_attached:
                self.query_one(LongText).put([*clean("\n".join(lines)).split("\n"), "", "MORE ABOUT IT", *more])

        self.face.carry_out(partial(more_about, self.face.root, item), put)

    # ── deciding ─────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "decide":
            return self._chosen is not None and _CHOICES[str(parameters[0])] in self._chosen.can
        return super().check_action(action, parameters)

    def action_decide(self, choice: str) -> None:
        if item := self._chosen:
            Deciding(self.face, item, _CHOICES[choice]).begin()

    @on(OptionList.OptionSelected)
    def action_look(self) -> None:
        item = self._chosen
        if item and item.task:
            self.face.push_screen(TaskScreen(item.session, item.task))
        elif item and item.session:
            self.face.push_screen(SessionScreen(item.session))

    def action_other_side(self) -> None:
        listed, text = self.query_one(OptionList), self.query_one(LongText)
        (text if listed.has_focus else listed).focus()


def _same(one: Item, other: Item) -> bool:
    return (one.id, one.what) == (other.id, other.what)


def _entry(item: Item, now: float) -> Text:
    """Two lines: what it is and how risky, then how it begins."""
    ago = say_duration(max(now - item.since, 1.0)) if item.since else ""
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{item.risk or '?':<4} ", _STYLES.get(item.risk or Risk.MED, ""))
    text.append(clean(f"{item.what}  {where(item)}"), "bold")
    text.append(f"  {ago}\n", "dim")
    text.append("     " + clean(" ".join(item.says.split())))
    return text
