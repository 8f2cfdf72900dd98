"""Searching in long texts: a line below them in which one types, and how much was found."""

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from toryo.frontends.tui.typing import TypedLine
from toryo.frontends.tui.watching.findable import FindableText


class FindInput(TypedLine):
    """What is searched for; the text follows every key."""

    BINDINGS = [
        Binding("escape", "leave", "No search"),
        Binding("down", "submit", "To the text", show=False),
    ]

    class Left(Message):
        """Nothing is searched for any more."""

    def action_leave(self) -> None:
        self.post_message(self.Left())


class SearchedTexts(Vertical):
    """One of several texts is shown at a time; what is searched for is searched for in that one."""

    BINDINGS = [Binding("slash", "search", "Search", key_display="/", tooltip="Search in the text")]
    DEFAULT_CSS = """
    SearchedTexts {
        height: 1fr;
        & > #find { height: 1; display: none; background: $surface; }
        & > #find.-open { display: block; }
        & #find > .find-sign { width: 3; text-style: bold; }
        & #find > Input { width: 1fr; background: $surface; }
        & #find > #found { width: auto; padding: 0 1; text-style: bold; }
    }
    """

    def compose(self) -> ComposeResult:
        with Horizontal(id="find"):
            yield Static(" / ", classes="find-sign", markup=False)
            yield FindInput(compact=True, placeholder="what to find; Enter goes there, n and N to others")
            yield Static(id="found", markup=False)

    @property
    def _shown(self) -> FindableText:
        return next(text for text in self.query(FindableText) if text.display)

    @property
    def _is_open(self) -> bool:
        return self.query_one("#find").has_class("-open")

    def turned(self) -> None:
        """Another text is shown."""
        words = self.query_one(FindInput).value if self._is_open else ""
        for text in self.query(FindableText):
            text.find(words if text is self._shown else "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "search":
            return not any(line.has_focus for line in self.query(FindInput))
        return super().check_action(action, parameters)

    def action_search(self) -> None:
        self.query_one("#find").add_class("-open")
        self.screen.set_focus(self.query_one(FindInput))  # at once: letters come behind
        self.turned()

    @on(Input.Changed)
    def _search(self, event: Input.Changed) -> None:
        event.stop()
        if self._is_open:
            self._shown.find(event.value)

    @on(Input.Submitted)
    def _go_there(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value:
            self._shown.focus()
        else:
            self._leave()

    @on(FindInput.Left)
    @on(FindableText.SearchLeft)
    def _leave(self) -> None:
        self.query_one("#find").remove_class("-open")
        self.query_one(FindInput).value = ""
        self._shown.find("")
        self._shown.focus()

    @on(FindableText.Searched)
    def _tell(self, event: FindableText.Searched) -> None:
        event.stop()
        if event.control.display:
            for found in self.query("#found").results(Static):  # none: the screen is going
                found.update(event.words)
                self.screen.refresh_bindings()
