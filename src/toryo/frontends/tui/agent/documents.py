"""A text over the whole screen: a report as Markdown, a diff line by line."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import Screen

from toryo.frontends.tui.agent.reading import markdown
from toryo.frontends.tui.agent.shown import plain
from toryo.frontends.tui.keyline import KeyLine
from toryo.frontends.tui.watching.findable import FindableText
from toryo.frontends.tui.watching.linestyles import of_difference
from toryo.frontends.tui.watching.longtext import LongText
from toryo.frontends.tui.watching.searching import SearchedTexts


class DocumentScreen(Screen[None]):
    """Read with the arrow keys; Esc leads back."""

    BINDINGS = [Binding("escape,q", "app.pop_screen", "Back")]
    DEFAULT_CSS = """
    DocumentScreen .title { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    DocumentScreen VerticalScroll { padding: 0 1; }
    """

    def __init__(self, title: str, text: str | list[str]) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        yield plain(self._title, classes="title")
        if isinstance(self._text, str):
            yield VerticalScroll(markdown(self._text))
        else:
            with SearchedTexts():
                yield FindableText("diff", of_difference, empty="nothing is merged yet")
        yield KeyLine()

    def on_mount(self) -> None:
        if isinstance(self._text, str):
            self.query_one(VerticalScroll).focus()
        else:
            self.query_one(LongText).put(self._text)
            self.query_one(LongText).focus()
