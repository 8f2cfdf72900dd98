"""The plan to be decided about: its documents are read in sections, and one key approves all of it."""

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Markdown, Static

from toryo.frontends.tui.agent.items import Item
from toryo.frontends.tui.agent.reading import markdown
from toryo.frontends.tui.agent.shown import Card, Deed, content, plain
from toryo.views.entries import Entry, Section, Standing

_DEEDS = (Deed("y", "approve", "approve"), Deed("n", "reject", "reject"))


class SectionTitle(Static, can_focus=True):
    """Enter, space or a click opens and closes what is below."""

    DEFAULT_CSS = """
    SectionTitle { width: 1fr; pointer: pointer; text-style: bold; }
    SectionTitle:hover { background: $block-hover-background; }
    SectionTitle:focus { background: $block-cursor-background; color: $block-cursor-foreground; }
    """
    BINDINGS = [Binding("enter,space,right,left", "turn", "Open or close")]

    def action_turn(self) -> None:
        assert isinstance(self.parent, Folded)
        self.parent.turn()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.action_turn()


class Folded(Widget):
    """One document; its text is only there while it is open."""

    DEFAULT_CSS = """
    Folded { layout: vertical; height: auto; }
    Folded Markdown { background: $background; padding: 0 1; margin: 0 0 1 1; border-left: solid $panel; }
    """

    def __init__(self, section: Section, *, is_open: bool) -> None:
        super().__init__()
        self._section = section
        self.is_open = is_open

    def compose(self) -> ComposeResult:
        yield SectionTitle(content(self._words()), markup=False)
        if self.is_open:
            yield markdown(self._section.text)

    def turn(self) -> None:
        self.is_open = not self.is_open
        title = self.query_one(SectionTitle)
        title.update(content(self._words()))
        if self.is_open:
            self.mount(markdown(self._section.text))
        else:
            self.query(Markdown).remove()
        # Its beginning is what one wants to see, not the end of everything.
        for scroll in self.ancestors:
            if isinstance(scroll, VerticalScroll):
                scroll.release_anchor()
        self.call_after_refresh(title.scroll_visible, animate=False, top=self.is_open)

    def _words(self) -> str:
        lines = self._section.text.count("\n") + 1
        return f"{'▼' if self.is_open else '▶'} {self._section.title}  ({lines} lines)"


class PlanCard(Card):
    """Spec, plan and tasks in full; what is to be known before; yes or no."""

    DEFAULT_CSS = """
    PlanCard .note { color: $text-muted; }
    """

    def __init__(self, item: Item) -> None:
        assert isinstance(item.what, Entry)
        self.is_waiting = item.what.standing is Standing.WAITING
        super().__init__(item, _DEEDS if self.is_waiting else ())
        self.can_focus = False
        self.set_class(not self.is_waiting, "-quiet")

    def inside(self) -> ComposeResult:
        entry = self.item.what
        assert isinstance(entry, Entry)
        stands = "waits for your approval" if self.is_waiting else str(entry.standing or "")
        yield plain(f"the plan {stands} · {entry.text}", classes="title")
        if entry.notes and self.is_waiting:
            yield plain("\n".join(f"· {note}" for note in entry.notes), classes="note")
        for section in entry.sections:
            yield Folded(section, is_open=self.is_waiting and section.name == "tasks")
