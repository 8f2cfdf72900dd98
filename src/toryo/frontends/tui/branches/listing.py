"""The list of branches: drawn line by line, so that five hundred cost no more than those that are seen."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toryo.frontends.tui.branches.lines import Line, Widths, cut, filled, measured
from toryo.views.branches import HEADS
from toryo.views.folding import folded
from toryo.views.screen import clean

_HEAD = 1
"""Lines above the first branch that never scroll away."""


class BranchList(ScrollView, can_focus=True, inherit_bindings=False):
    """Keeps to the branch that is chosen, whatever comes or goes around it."""

    BINDINGS = [
        Binding("enter", "choose", "Open", tooltip="Its task's screen, or its details"),
        Binding("up,k", "cursor_move(-1)", "Up", show=False),
        Binding("down,j", "cursor_move(1)", "Down", show=False),
        Binding("pageup", "page_turn(-1)", "A screen up", show=False),
        Binding("pagedown", "page_turn(1)", "A screen down", show=False),
        Binding("home,g", "first", "First", show=False),
        Binding("end,G", "last", "Last", show=False),
    ]
    COMPONENT_CLASSES = {
        f"branch-list--{part}" for part in ("head", "cursor", "current", "running", "distance", "changes", "dim")
    }
    DEFAULT_CSS = """
    BranchList {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        & > .branch-list--head { text-style: dim; }
        & > .branch-list--cursor {
            background: $block-cursor-blurred-background; color: $block-cursor-blurred-foreground;
        }
        &:focus > .branch-list--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold;
        }
        & > .branch-list--current { text-style: bold; }
        & > .branch-list--running { color: $text-accent; text-style: bold; }
        & > .branch-list--distance { color: $text-success; }
        & > .branch-list--changes { color: $text-warning; }
        & > .branch-list--dim { text-style: dim; }
    }
    """

    class Highlighted(Message):
        """Another branch is chosen, or none is left."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Chosen(Message):
        """Enter, or a double press."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[Line, ...] = ()
        self._widths = Widths()
        self._at = 0
        self._key = ""
        self._nothing = ""

    @property
    def key(self) -> str:
        """The branch that is chosen; empty: there is none."""
        return self._key

    def show(self, lines: Sequence[Line], nothing: str = "") -> None:
        """What there is now; `nothing` says why there is nothing."""
        before, self._lines, self._nothing = self._lines, tuple(lines), clean(nothing)
        is_moved = self._keep_to(before)
        widths = measured(self._lines, self._room)
        is_same_shape = widths == self._widths and len(before) == len(self._lines)
        self._widths = widths
        self.virtual_size = Size(self._room, len(self._lines) + _HEAD)
        if is_moved or not is_same_shape or not self._lines:
            self.refresh()
            return
        for place, (old, new) in enumerate(zip(before, self._lines, strict=True)):
            if old != new:
                self._redraw(place)

    def put_on(self, key: str) -> None:
        """Chooses one, where it is there."""
        for place, line in enumerate(self._lines):
            if line.key == key:
                self._go(place)

    def _keep_to(self, before: Sequence[Line]) -> bool:
        """The same branch stays chosen, on the same line of the screen; whether it has another place in the list."""
        lines = self._lines
        if not lines:
            self._at, key = 0, ""
        else:
            known = {line.key: place for place, line in enumerate(lines)}
            first = next((place for place, line in enumerate(lines) if line.is_current), 0)
            at = known.get(self._key, min(self._at, len(lines) - 1) if before else first)
            moved, self._at, key = at - self._at, at, lines[at].key
            if before and moved:
                self.scroll_to(y=max(self.scroll_y + moved, 0), animate=False, force=True)
        if key != self._key:
            self._key = key
            self.post_message(self.Highlighted(key))
            self._come_into_view()
            return True
        return [line.key for line in before] != [line.key for line in lines]

    # ── moving ───────────────────────────────────────────────────────────────

    def action_cursor_move(self, by: int) -> None:
        self._go(self._at + by)

    def action_page_turn(self, by: int) -> None:
        self._go(self._at + by * max(self._seen - 1, 1))

    def action_first(self) -> None:
        self._go(0)

    def action_last(self) -> None:
        self._go(len(self._lines) - 1)

    def action_choose(self) -> None:
        if self._key:
            self.post_message(self.Chosen(self._key))

    def on_click(self, event: events.Click) -> None:
        place = event.y - self.gutter.top - _HEAD + self.scroll_offset.y
        if event.y - self.gutter.top >= _HEAD and place < len(self._lines):
            self._go(place)
            if event.chain > 1:
                self.action_choose()

    def _go(self, place: int) -> None:
        place = max(0, min(place, len(self._lines) - 1))
        if not self._lines or place == self._at:
            return
        self._redraw(self._at)
        self._at, self._key = place, self._lines[place].key
        self._redraw(place)
        self._come_into_view()
        self.post_message(self.Highlighted(self._key))

    def _come_into_view(self) -> None:
        top = self.scroll_offset.y
        if self._at < top:
            self.scroll_to(y=self._at, animate=False, force=True)
        elif self._at >= top + self._seen:
            self.scroll_to(y=self._at - self._seen + 1, animate=False, force=True)

    # ── drawing ──────────────────────────────────────────────────────────────

    def on_resize(self) -> None:
        if self._room != self.virtual_size.width:
            self._widths = measured(self._lines, self._room)
            self.virtual_size = Size(self._room, len(self._lines) + _HEAD)
            self.refresh()
        self._come_into_view()

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _seen(self) -> int:
        """So many branches fit on the screen."""
        return max(self.scrollable_content_region.height - _HEAD, 1)

    def _redraw(self, place: int) -> None:
        self.refresh_line(place + _HEAD)

    def render_line(self, y: int) -> Strip:
        style = self.rich_style
        place = y - _HEAD + self.scroll_offset.y
        if y < _HEAD:
            segments = [Segment(self._head(), self._style("head"))] if self._lines else []
        elif place < len(self._lines):
            segments = self._cells(self._lines[place], is_cursor=place == self._at)
            if place == self._at:
                cursor = self._style("cursor")
                segments = [Segment(segment.text, cursor) for segment in segments]
        else:
            words = self._instead(y - _HEAD - 1)
            segments = [Segment(f" {words}", self._style("dim"))] if words else []
        return Strip(segments).adjust_cell_length(self._room, None).apply_style(style)

    def _instead(self, place: int) -> str:
        """Why there is nothing, where there is nothing."""
        words = folded(self._nothing, self._room - 2) if not self._lines else []
        return words[place] if 0 <= place < len(words) else ""

    def _style(self, part: str) -> Style:
        return self.get_component_rich_style(f"branch-list--{part}", partial=part != "cursor")

    def _head(self) -> str:
        widths = self._widths
        cells = (HEADS.distance, widths.distance), (HEADS.changes, widths.changes), (HEADS.age, widths.last)
        numbers = [" " + filled(text, room, is_right=True) for text, room in cells if room]
        about = " work, or last commit" if widths.about else ""
        return "    " + cut(HEADS.name, widths.name) + "".join(numbers) + about

    def _cells(self, line: Line, *, is_cursor: bool) -> list[Segment]:
        """The cursor is a bar as well as a colour."""
        widths, row = self._widths, line.row
        running, dim = self._style("running"), self._style("dim")
        is_work = line.is_running and not widths.about
        last = (row.work, running) if is_work else (row.age, dim)
        cells = [
            (row.distance, self._style("distance"), widths.distance),
            (row.changes, self._style("changes"), widths.changes),
            (*last, widths.last),
        ]
        shown = [
            Segment("▌" if is_cursor else " "),
            Segment(line.mark, running),
            Segment(" " + cut(row.name, widths.name), self._style("current") if line.is_current else Style()),
        ]
        shown += [Segment(" " + filled(text, room, is_right=True), style) for text, style, room in cells if room]
        if widths.about:
            shown.append(Segment(" " + filled(line.about, widths.about), running if line.is_running else dim))
        return shown
