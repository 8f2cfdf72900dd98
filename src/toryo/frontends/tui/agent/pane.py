"""Agent mode in the frame: the chat itself is built once the first screen is there."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widgets import Static

from toryo.app.following import Heard
from toryo.frontends.tui.pane import Pane

if TYPE_CHECKING:
    from toryo.frontends.tui.agent.view import ChatView


class AgentPane(Pane):
    """One conversation over the full height."""

    DEFAULT_CSS = """
    AgentPane > #opening { padding: 1 2; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._view: ChatView | None = None
        self._heard = Heard()

    def compose(self) -> ComposeResult:
        yield Static("opening …", id="opening")

    def on_mount(self) -> None:
        self.call_after_refresh(self.face.carry_out, _load, lambda _: self._build())

    async def _build(self) -> None:
        from toryo.frontends.tui.agent.view import ChatView

        view = ChatView(self)
        await self.query_one("#opening").remove()
        await self.mount(view)
        self._view = view
        view.hear(self._heard)
        if self.is_looked_at:
            view.come_forward()
        self.face.when_loaded()

    def hear(self, heard: Heard) -> None:
        self._heard = heard
        if self._view is not None:
            self._view.hear(heard)

    def come_forward(self) -> None:
        if self._view is not None:
            self._view.come_forward()


def _load() -> None:
    """In a thread: it takes a moment, and keys are answered meanwhile."""
    import toryo.frontends.tui.agent.view  # noqa: F401
