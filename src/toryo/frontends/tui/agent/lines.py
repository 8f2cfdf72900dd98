"""Entries of one or a few lines: what was said, what happened, what the app remarks."""

from textual import events
from textual.app import RenderResult
from textual.binding import Binding
from textual.content import Content

from toryo.frontends.tui.agent.items import Echo, Heading, Item, Remark
from toryo.frontends.tui.agent.shown import Shown, Wanted, content
from toryo.views.entries import Entry, Kind, Who
from toryo.views.moments import clock_time

LABELS = {Who.PERSON: "you", Who.PLANNER: "planner", Who.TORYO: "toryo"}
_SIGNS = {Kind.PROGRESS: "·", Kind.DONE: "✓", Kind.TROUBLE: "!"}


class Words(Shown):
    """What a person said: a bar, their label, their words."""

    DEFAULT_CSS = """
    Words { border-left: thick $primary; padding-left: 1; margin: 1 0; }
    Words.-echo { border-left: thick $panel; }
    """

    def render(self) -> RenderResult:
        what = self.item.what
        assert isinstance(what, Entry | Echo)
        label = "you …" if isinstance(what, Echo) else LABELS[what.who]
        return Content.assemble((label, "bold"), "\n", content(what.text))

    def on_mount(self) -> None:
        self.set_class(isinstance(self.item.what, Echo), "-echo")


class Line(Shown):
    """One thing that happened; where it is about a task, Enter or a click leads there."""

    DEFAULT_CSS = """
    Line { padding-left: 1; }
    Line.-progress { color: $text-muted; }
    Line.-done { color: $text-success; }
    Line.-trouble { color: $text-warning; }
    Line:focus { background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold; }
    """
    BINDINGS = [Binding("enter,space", "open", "Open the task")]

    def __init__(self, item: Item) -> None:
        super().__init__(item)
        self._dress()

    def take(self, item: Item) -> bool:
        self.item = item
        self._dress()
        self.refresh(layout=True)
        return True

    def render(self) -> RenderResult:
        what = self.item.what
        assert isinstance(what, Entry)
        said = f"{_SIGNS.get(what.kind, '·')} {clock_time(what.at)} {what.text}"
        return content(f"{said} ›" if what.task else said)

    def _dress(self) -> None:
        what = self.item.what
        assert isinstance(what, Entry)
        self.can_focus = bool(what.task)
        self.set_classes(f"-{what.kind}")

    def action_open(self) -> None:
        self.post_message(Wanted("task", self.item))

    def on_click(self, event: events.Click) -> None:
        if self.can_focus:
            event.stop()
            self.action_open()


class Aside(Shown):
    """Where another session begins, or what the app remarks."""

    DEFAULT_CSS = """
    Aside { padding-left: 1; color: $text-muted; }
    Aside.-heading { text-style: bold; margin-top: 1; color: $foreground; }
    """

    def on_mount(self) -> None:
        self.set_class(isinstance(self.item.what, Heading), "-heading")

    def render(self) -> RenderResult:
        what = self.item.what
        if isinstance(what, Heading):
            return content(f"── {what.text} ──")
        assert isinstance(what, Remark)
        return content(f"{'!' if what.is_trouble else '→'} {what.text}")
