"""What a branch changes, as a patch: a screen of its own, to be read and left again."""

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from toryo.frontends.tui.keyline import KeyLine
from toryo.frontends.tui.watching.findable import FindableText
from toryo.frontends.tui.watching.linestyles import of_difference
from toryo.frontends.tui.watching.searching import SearchedTexts
from toryo.views.screen import clean

_FILE = "diff --git "


class PatchText(FindableText):
    """The lines of a patch that is clean already, and from file to file by a key."""

    BINDINGS = [Binding("n", "file(1)", "Next file"), Binding("p", "file(-1)", "Previous file")]

    def __init__(self, text: str) -> None:
        super().__init__("patch", of_difference, empty="nothing is changed")
        self._patch = [line.expandtabs(4) for line in text.split("\n")] if text else []
        self._files = [place for place, line in enumerate(self._patch) if line.startswith(_FILE)]

    def on_mount(self) -> None:
        self.put(self._patch)

    def action_file(self, by: int) -> None:
        """To where the next, or the previous, file begins; n also to the next that was found, where one searches."""
        if self.is_searched and by > 0:
            self.action_match(by)
            return
        at = round(self.scroll_y)
        rows = [self._rows.row_of(place) for place in self._files]
        found = [row for row in rows if row > at][:1] if by > 0 else [row for row in rows if row < at][-1:]
        for row in found:
            self.scroll_to(y=row, animate=False)


class PatchScreen(Screen[None]):
    """Signs stay where they are: nothing is told by colour alone."""

    BINDINGS = [Binding("escape,q,v", "dismiss", "Back")]
    DEFAULT_CSS = """
    PatchScreen > .patch-title { height: 1; padding: 0 1; background: $panel; text-style: bold; }
    """

    def __init__(self, branch: str, text: str) -> None:
        super().__init__()
        self._branch, self._text = branch, text

    def compose(self) -> ComposeResult:
        yield Static(Content(clean(f"What {self._branch} changes")), classes="patch-title", markup=False)
        with SearchedTexts():
            yield PatchText(self._text)
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(PatchText).focus()
