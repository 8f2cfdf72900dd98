"""Why nothing can be begun here, and what to do about it; beside it, that there is more below."""

from textual.app import RenderResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from toryo.app.readiness import Lack
from toryo.frontends.tui.agent.shown import content


class Banner(Widget, can_focus=True):
    """What is missing; it has the keys while nothing can be typed."""

    DEFAULT_CSS = """
    Banner { height: auto; margin: 0 1; padding: 0 1; border: round $warning; display: none; }
    """
    BINDINGS = [Binding("enter", "app.settings", "Settings")]

    def __init__(self) -> None:
        super().__init__()
        self._lacks: tuple[Lack, ...] = ()

    def show(self, lacks: tuple[Lack, ...]) -> None:
        if lacks != self._lacks:
            self._lacks = lacks
            self.refresh(layout=True)
        self.display = bool(lacks)

    def render(self) -> RenderResult:
        parts: list[Content] = []
        for lack in self._lacks:
            parts += [Content.styled(lack.says, "bold"), content(f"  {lack.why}"), content(f"  → {lack.do}")]
        return Content("\n").join(parts)


class NewBelow(Widget):
    """Somebody reads further up, and something was added at the end."""

    class Pressed(Message):
        """Somebody wants to the end."""

    DEFAULT_CSS = """
    NewBelow { height: 1; display: none; text-align: center; text-style: bold; pointer: pointer; }
    """

    def render(self) -> RenderResult:
        return "↓ new below · End"

    def on_click(self) -> None:
        self.post_message(self.Pressed())
