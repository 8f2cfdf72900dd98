"""The two panels beside the list, one above the other: what a branch is, and what a model says about it."""

import time
from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from toryo.domain.branch import BranchSummary, Details
from toryo.frontends.tui.branches.paneltext import coming_content, details_content, note, summary_content
from toryo.views.columns import clipped
from toryo.views.screen import clean

Laid = Callable[[int], Content]
"""What is shown, for so many cells."""


class Panel(VerticalScroll):
    """Text that is laid out anew when its room changes; scrolls by itself once it has the keys."""

    BINDINGS = [
        Binding("left,escape", "screen.focus('BranchList')", "To the list", show=False),
        Binding("right", "app.focus_next", "Next panel", show=False),
    ]
    DEFAULT_CSS = """
    Panel {
        border: round $foreground 30%;
        border-title-color: $text-muted;
        border-title-style: bold;
        padding: 0 0 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        &:focus { border: heavy $primary; border-title-color: $foreground; }
        & > Static { height: auto; }
    }
    """
    TOPIC = ""

    def __init__(self) -> None:
        super().__init__()
        self._laid: Laid = _nothing
        self._about = ""
        self._laid_for = 0

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_resize(self) -> None:
        if self._room != self._laid_for:
            self._lay()

    @property
    def _room(self) -> int:
        return max(self.scrollable_content_region.width, 10)

    def put(self, about: str, laid: Laid) -> None:
        """Another branch begins at its top; of the same one, what was being read stays where it is."""
        if about != self._about:
            self._about = about
            self.scroll_home(animate=False)
        self._laid = laid
        self._lay()

    def say(self, about: str, *lines: str) -> None:
        self.put(about, lambda _: note(*lines))

    def _lay(self) -> None:
        if not self.is_mounted:
            return
        room = self._laid_for = self._room
        self.query_one(Static).update(self._laid(room))
        title = f"{self.TOPIC} · {self._about}" if self._about else self.TOPIC
        self.border_title = Content(clipped(clean(title), room - 2))


class DetailsPanel(Panel):
    TOPIC = "Details"

    def show(self, details: Details, root: Path) -> None:
        self.put(details.branch.name, lambda room: details_content(details, room, time.time(), root))


class SummaryPanel(Panel):
    TOPIC = "AI summary"

    def show(self, name: str, summary: BranchSummary) -> None:
        self.put(name, lambda room: summary_content(summary, room, time.time()))

    def show_coming(self, name: str, text: str) -> None:
        self.put(name, lambda room: coming_content(text, room))


def _nothing(_: int) -> Content:
    return Content("")
