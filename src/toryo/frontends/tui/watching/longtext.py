"""A text of any length on the screen: the rows that are looked at are made, and nothing else."""

import asyncio
from collections.abc import Callable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toryo.app.spooling import Spool
from toryo.frontends.tui.watching.rows import Rows, wrapped

_REPAINT_EVERY = 0.1
NO_SIGN = " "
"""Before each row there is room for a sign."""


class LongText(ScrollView, can_focus=True):
    """Lines are added at its end; where somebody looks at that, they go on looking at it."""

    ALLOW_SELECT = False
    BINDINGS = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home,g", "scroll_home", "To the beginning", show=False),
        Binding("end,G", "scroll_end", "To the end", show=False),
    ]
    COMPONENT_CLASSES = {
        "longtext--strong",
        "longtext--quiet",
        "longtext--good",
        "longtext--bad",
        "longtext--doubtful",
        "longtext--marked",
    }
    DEFAULT_CSS = """
    LongText {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
        & > .longtext--strong { text-style: bold; }
        & > .longtext--quiet { text-style: dim; }
        & > .longtext--good { color: $text-success; }
        & > .longtext--bad { color: $text-error; }
        & > .longtext--doubtful { color: $text-warning; }
        & > .longtext--marked { color: $text-accent; }
    }
    """

    class Moved(Message):
        """Whether it follows its end has changed."""

    def __init__(
        self, name: str, style_of: Callable[[str], str] = lambda _: "", *, follows: bool = False, empty: str = ""
    ) -> None:
        super().__init__(id=name)
        self._style_of, self._begins_at_end = style_of, follows
        self.empty = empty
        """Said where there are no lines."""
        self.follows = follows
        self._spool = Spool()
        self._rows = Rows(self._spool, 80)
        self._unfinished = ""
        self._turn = asyncio.Lock()
        """One change at a time; they are made in threads."""
        self._is_due = False
        self._wanted: Sequence[str] = ()

    # ── what it holds ────────────────────────────────────────────────────────

    @property
    def line_count(self) -> int:
        return self._spool.count

    async def add(self, lines: Sequence[str], unfinished: str = "", *, is_new: bool = False) -> None:
        async with self._turn:
            if is_new:
                self._forget()
            if lines:
                await asyncio.to_thread(self._add, tuple(lines))
            self._unfinished = unfinished
        self._repaint_soon()
        self._grown()

    @work(group="putting")
    async def put(self, lines: Sequence[str]) -> None:
        """These instead of what was there; who looks at it goes on looking at the same place."""
        self._wanted = lines
        async with self._turn:
            if self._wanted is lines:  # else others were wanted meanwhile
                self._spool, self._rows = await asyncio.to_thread(_made, tuple(lines), self._rows.width)
                self._unfinished = ""
        self._repaint_soon()
        self._made_anew()

    async def clear(self) -> None:
        async with self._turn:
            self._forget()
        self._repaint_soon()

    def action_scroll_end(self) -> None:
        """At once, and not only as far as the end is now."""
        self.follows = self._begins_at_end
        self.scroll_end(animate=False)
        self.post_message(self.Moved())

    def _grown(self) -> None:
        """Lines were added."""

    def _made_anew(self) -> None:
        """Other lines are there, or the same on other rows."""

    def _add(self, lines: tuple[str, ...]) -> None:
        self._spool.add(lines)
        self._rows.add(lines)

    def _forget(self) -> None:
        self._spool = Spool()
        self._rows = Rows(self._spool, self._rows.width)
        self._unfinished = ""
        self.follows = self._begins_at_end

    # ── what is seen ─────────────────────────────────────────────────────────

    def on_resize(self, event: events.Resize) -> None:
        del event
        if self._width() != self._rows.width:
            self._wrap_anew()

    @work(exclusive=True, group="wrapping")
    async def _wrap_anew(self) -> None:
        async with self._turn:
            width = self._width()
            if width == self._rows.width:
                return
            top = await asyncio.to_thread(self._rows.line_at, round(self.scroll_y))
            rows = await asyncio.to_thread(Rows.of, self._spool, width)
            self._rows = rows
        self._repaint()
        if not self.follows:
            self.scroll_to(y=rows.row_of(top), animate=False)
        self._made_anew()

    def _width(self) -> int:
        return max(20, self.scrollable_content_region.width - len(NO_SIGN))

    def _repaint_soon(self) -> None:
        """A flood is shown ten times a second, however it comes."""
        if not self._is_due:
            self._is_due = True
            self.set_timer(_REPAINT_EVERY, self._repaint)

    def _repaint(self) -> None:
        self._is_due = False
        self.virtual_size = Size(self._width(), self._rows.count + len(self._last_rows()))
        if self.follows:
            # Forced: with the first lines there is no scrollbar yet, and without one nothing else would be moved.
            self.scroll_end(animate=False, immediate=True, force=True)
        self.refresh()

    def _last_rows(self) -> list[str]:
        return wrapped(self._unfinished, self._rows.width) if self._unfinished else []

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        before = self.follows
        if new_value >= self.max_scroll_y:
            self.follows = self._begins_at_end
        elif new_value < old_value:
            self.follows = False
        if before != self.follows:
            self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        base, width = self.rich_style, self.size.width
        number = round(self.scroll_y) + y
        text, style = self._row(number, base)
        segments = self._segments(number, text, style, base)
        return Strip(segments).adjust_cell_length(width, base).apply_offsets(0, number)

    def _segments(self, number: int, text: str, style: Style, base: Style) -> list[Segment]:  # noqa: ARG002
        """A row, with a sign before it; there is none here."""
        return [Segment(NO_SIGN, base), Segment(text, style)]

    def _row(self, number: int, base: Style) -> tuple[str, Style]:
        if row := self._rows.row(number):
            return row.text, self._styled(row.line, base)
        last = self._last_rows()
        if 0 <= (place := number - self._rows.count) < len(last):
            return last[place], self._styled(self._unfinished, base)
        if number == 0 and self.empty:
            return self.empty, self._class("quiet", base)
        return "", base

    def _styled(self, line: str, base: Style) -> Style:
        name = self._style_of(line)
        return self._class(name, base) if name else base

    def _class(self, name: str, base: Style) -> Style:
        return base + self.get_component_rich_style(f"longtext--{name}", partial=True)


def _made(lines: tuple[str, ...], width: int) -> tuple[Spool, Rows]:
    spool = Spool()
    spool.add(lines)
    rows = Rows(spool, width)
    rows.add(lines)
    return spool, rows
