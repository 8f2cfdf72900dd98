"""The chat as it scrolls: the latest of it is there, the rest is fetched by whoever goes up."""

from collections.abc import Sequence

from textual import events, on
from textual.actions import SkipAction
from textual.app import RenderResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget

from toryo.frontends.tui.agent.items import Item
from toryo.frontends.tui.agent.shown import Card, Shown, content
from toryo.frontends.tui.agent.widgets import widget_for

_AT_ONCE = 40
"""Items that are there as widgets; every one of them has to be laid out when the mode is changed."""


class Earlier(Widget, can_focus=True):
    """What is older than what is shown."""

    DEFAULT_CSS = """
    Earlier { height: 1; color: $text-muted; pointer: pointer; }
    Earlier:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """
    BINDINGS = [Binding("enter,space", "more", "Show earlier")]

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def render(self) -> RenderResult:
        return content(f"↑ {self.count} earlier: Enter or a click shows more")

    def action_more(self) -> None:
        assert isinstance(self.parent, Talk)
        self.parent.show_more()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.action_more()


class Talk(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Stays at the end until somebody scrolls up."""

    BINDINGS = [
        Binding("up", "before", "Up", show=False),
        Binding("down", "after", "Down", show=False),
        Binding("escape", "leave", "Back", show=False),
    ]
    DEFAULT_CSS = """
    Talk { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; align-vertical: bottom; }
    Talk MarkdownH1 { content-align: left middle; margin: 0 0 1 0; }
    Talk MarkdownH2, Talk MarkdownH3 { margin: 1 0 0 0; }
    """

    class Ended(Message):
        """Down, from the last one, or Esc: back to where one types."""

    def __init__(self) -> None:
        super().__init__()
        self._items: Sequence[Item] = ()
        self._room = _AT_ONCE
        self._first = ""
        """The key of the first that is shown."""
        self._earlier = Earlier()

    def on_mount(self) -> None:
        self._earlier.display = False
        self.mount(self._earlier)
        self.anchor()

    @property
    def is_at_end(self) -> bool:
        """Nobody has scrolled up; it may not have caught up with what was just added."""
        return not self._anchor_released or self.scroll_offset.y >= self.max_scroll_y - 1

    # ── what is shown ────────────────────────────────────────────────────────

    def show(self, items: Sequence[Item]) -> bool:
        """Brings the widgets in line with the items; whether something new is at the end."""
        last = self._items[-1].key if self._items else ""
        self._items = items
        if self.is_at_end:
            self._room = _AT_ONCE
        wanted = items[self._start(items) :]
        self._first = wanted[0].key if wanted else ""
        self._earlier.count = len(items) - len(wanted)
        self._earlier.display = self._earlier.count > 0
        self._earlier.refresh()
        with self.app.batch_update():
            self._reconcile(wanted)
        return bool(items) and items[-1].key != last

    def _start(self, items: Sequence[Item]) -> int:
        """Where somebody reads further up, nothing goes away at the top, or all would move."""
        start = max(0, len(items) - self._room)
        if self.is_at_end:
            return start
        return next((min(start, place) for place, item in enumerate(items) if item.key == self._first), start)

    def _reconcile(self, wanted: Sequence[Item]) -> None:
        keys = {item.key for item in wanted}
        there = {shown.item.key: shown for shown in self.query_children(Shown)}
        for key in there.keys() - keys:
            self._take_away(there.pop(key))
        places = {shown: place for place, shown in enumerate(there.values())}
        before: Widget = self._earlier
        reached = -1
        fresh: list[Shown] = []
        for item in wanted:
            shown = there.get(item.key)
            if shown is None:
                fresh.append(widget_for(item))
                continue
            if fresh:
                before = self._added(fresh, before)
                fresh = []
            if places[shown] < reached:  # how things stand goes down with all that happens
                self.move_child(shown, after=before)
            reached = max(reached, places[shown])
            before = self._renewed(shown, item)
        if fresh:
            self._added(fresh, before)

    def _added(self, fresh: Sequence[Shown], before: Widget) -> Widget:
        self.mount_all(fresh, after=before)
        return fresh[-1]

    def _renewed(self, shown: Shown, item: Item) -> Widget:
        if shown.item is item or shown.take(item):
            return shown
        newer = widget_for(item)
        self.mount(newer, after=shown)
        self._take_away(shown)
        return newer

    def _take_away(self, shown: Shown) -> None:
        """With the keys nobody is led to whatever is next to it, further up perhaps: they are for who asks for them."""
        focused = self.screen.focused
        if focused is not None and shown in focused.ancestors_with_self:
            self.screen.set_focus(None)
        shown.remove()

    @property
    def is_at_top(self) -> bool:
        """Somebody has scrolled up as far as it goes, and there is more."""
        return self._anchor_released and self.scroll_offset.y <= 0 and self._earlier.count > 0

    def show_more(self) -> None:
        """Where somebody was stays where it is."""
        below = self.max_scroll_y - self.scroll_offset.y
        self._room += _AT_ONCE
        self.show(self._items)
        self.call_after_refresh(lambda: self.scroll_to(y=max(0, self.max_scroll_y - below), animate=False))

    def go_to_end(self) -> None:
        self.anchor()
        self._room = _AT_ONCE
        self.scroll_end(animate=False)

    def widget_of(self, key: str) -> Shown | None:
        return next((shown for shown in self.query_children(Shown) if shown.item.key == key), None)

    # ── keys ─────────────────────────────────────────────────────────────────

    @property
    def has_stops(self) -> bool:
        return any(isinstance(shown, Card) or shown.can_focus for shown in self.query_children(Shown))

    def focus_last(self, key: str = "") -> bool:
        """Of all, or of what has this key where there is such a thing."""
        within = self.widget_of(key)
        stops = [stop for stop in self._stops() if within is None or within in stop.ancestors_with_self]
        return self._focus(stops[-1:])

    def action_before(self) -> None:
        stops = self._stops()
        self._focus(stops[: self._place(stops)][-1:])

    def action_after(self) -> None:
        stops = self._stops()
        if not self._focus(stops[self._place(stops) + 1 :][:1]):
            self.post_message(self.Ended())

    def action_leave(self) -> None:
        self.post_message(self.Ended())

    @on(Card.Passed)
    def _passed(self, event: Card.Passed) -> None:
        event.stop()
        (self.action_before if event.step < 0 else self.action_after)()

    def _stops(self) -> list[Widget]:
        """Everything that takes keys, from top to bottom."""
        return [widget for widget in self.query("*") if widget.focusable]

    def _place(self, stops: list[Widget]) -> int:
        focused = self.screen.focused
        if focused not in stops:
            raise SkipAction
        return stops.index(focused)

    def _focus(self, wanted: list[Widget]) -> bool:
        for widget in wanted:
            widget.focus()
            return True
        return False
