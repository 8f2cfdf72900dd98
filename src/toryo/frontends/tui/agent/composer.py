"""Where a person types: it grows with what is typed, and Enter sends it."""

from dataclasses import dataclass

from textual import events, on
from textual.actions import SkipAction
from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea

from toryo.frontends.tui.agent.recall import Recall
from toryo.frontends.tui.typing import done_at_once

_NEW_LINE = frozenset({"ctrl+j", "shift+enter", "alt+enter", "ctrl+enter"})
"""Terminals differ in which of them they can tell from Enter."""


class Composer(TextArea):
    """Knows nothing of what becomes of a text."""

    DEFAULT_CSS = """
    Composer {
        height: auto;
        min-height: 3;
        max-height: 10;
        padding: 0 1;
        border: round $foreground 35%;
        background: $background;
    }
    Composer:focus { border: round $border; }
    Composer, Composer:focus { border-title-color: $foreground; border-subtitle-color: $foreground; }
    Composer:disabled { opacity: 60%; }
    """
    BINDINGS = [
        Binding("enter", "send", "Send"),
        Binding("ctrl+j", "new_line", "New line (also Shift+Enter, where the terminal tells)", show=False),
        Binding("up", "earlier", "What was typed before; to the card, where one waits", show=False),
        Binding("down", "later", "What was typed after that", show=False),
        Binding("escape", "leave", "Put aside", show=False),
    ]

    @dataclass
    class Sent(Message):
        """A text, or an Enter with nothing typed."""

        text: str

    class Up(Message):
        """Up, with nothing typed: somebody wants to what is above."""

    class Left(Message):
        """Esc, with something typed or begun."""

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False, show_line_numbers=False)
        self.cursor_blink = False  # where nothing happens nothing is drawn
        self.recall = Recall()
        self.leads_up = False
        """Whether Up leads to what is above while nothing is typed."""
        self.has_begun = False
        """Whether Esc has something to leave though nothing is typed."""
        self._is_put_aside = False
        """What was typed was put aside a moment ago, and nothing was typed since."""

    def put(self, text: str) -> None:
        """In place of what is there, with the cursor behind it."""
        self.text = text
        self.move_cursor(self.document.end)

    # What has nothing to do here while nothing is typed belongs to the chat.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "leave":
            return bool(self.text) or self.has_begun
        return super().check_action(action, parameters)

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def action_cursor_line_end(self, select: bool = False) -> None:
        if not self.text:
            raise SkipAction
        super().action_cursor_line_end(select)

    def action_cursor_page_up(self) -> None:
        raise SkipAction

    def action_cursor_page_down(self) -> None:
        raise SkipAction

    def put_aside(self) -> None:
        """Nothing is lost: Up brings it back."""
        self.recall.add(self.text)
        self.clear()
        self._is_put_aside = True
        self.border_subtitle = "put aside: ↑ brings it back"

    @on(TextArea.Changed)
    def _typed(self) -> None:
        if self.text:
            self._is_put_aside = False
            self.border_subtitle = ""

    async def _on_key(self, event: events.Key) -> None:
        """A text would take Enter for a new line; what else makes one, where the terminal tells, does so."""
        act = self.action_send if event.key == "enter" else self.action_new_line if event.key in _NEW_LINE else None
        if act is None:
            await done_at_once(self, event)
            return
        event.stop()
        event.prevent_default()
        act()

    def action_new_line(self) -> None:
        start, end = self.selection
        self._replace_via_keyboard("\n", start, end)

    def action_send(self) -> None:
        """At once: what is typed after Enter belongs to the next."""
        self.post_message(self.Sent(self.text))
        self.clear()

    def action_earlier(self) -> None:
        if self.leads_up and not self.text and not self._is_put_aside:
            self.post_message(self.Up())
        elif not self.navigator.is_first_wrapped_line(self.cursor_location):
            self.action_cursor_up()
        elif (text := self.recall.back(self.text)) is not None:
            self.put(text)

    def action_later(self) -> None:
        if not self.navigator.is_last_wrapped_line(self.cursor_location):
            self.action_cursor_down()
        elif (text := self.recall.forth()) is not None:
            self.put(text)
