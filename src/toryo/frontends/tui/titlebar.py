"""The line on top: where we are, and in which mode."""

from rich.text import Text
from textual import events
from textual.reactive import reactive
from textual.widget import Widget

from toryo.domain.facts import fact
from toryo.views.columns import width
from toryo.views.screen import clean

_MODES = {"branches": "Branches", "agent": "Agent"}


@fact
class _Piece:
    text: str
    style: str = ""
    action: str = ""
    """What a press on it does."""


class TitleBar(Widget):
    """The mode that is shown stands in brackets: no colour is needed to see it."""

    mode: reactive[str] = reactive("branches")
    waiting: reactive[int] = reactive(0)
    """How much waits for a person."""

    def __init__(self, repository: str) -> None:
        super().__init__()
        self._repository = clean(repository)

    def render(self) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        for piece in self._pieces():
            text.append(piece.text, style=piece.style)
        return text

    def on_click(self, event: events.Click) -> None:
        at = 0
        for piece in self._pieces():
            at += width(piece.text)
            if event.x < at:
                if piece.action:
                    self.call_later(self.run_action, f"screen.{piece.action}")
                return

    def _pieces(self) -> list[_Piece]:
        pieces = [_Piece(" Toryo ", "bold")]
        for name, label in _MODES.items():
            is_shown = name == self.mode
            words, style = (f"[{label}]", "bold reverse") if is_shown else (f" {label} ", "")
            pieces.append(_Piece(words, style, f"turn_to('{name}')"))
        pieces.append(_Piece("  Tab changes  ", "dim", "other_mode"))
        if self.waiting:
            pieces += [_Piece(f"Inbox {self.waiting}", "bold", "inbox"), _Piece(" F3  ", "dim", "inbox")]
        return [*pieces, _Piece(self._repository)]
