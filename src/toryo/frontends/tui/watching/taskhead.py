"""The head of a task: what it is, how it stands, what it waits for; and the names of its pages."""

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from toryo.views.columns import width
from toryo.views.screen import clean

PAGES = ("Output", "Diff", "Checks", "Evidence")


class TaskHead(Widget):
    """Three lines: most important first, cut off at the end where there is no room."""

    DEFAULT_CSS = """
    TaskHead {
        height: 3; background: $panel; color: $foreground; padding: 0 1;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines = ("", "", "")

    def show(self, title: str, facts: list[str], waits: str) -> None:
        lines = (clean(title), clean(" · ".join(facts)), clean(waits))
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    def render(self) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        title, facts, waits = self._lines
        text.append(f"{_one_line(title)}\n", "bold")
        text.append(f"{_one_line(facts)}\n")
        text.append(_one_line(waits), "bold")
        return text


class PageBar(Widget):
    """The page that is shown stands in brackets: no colour is needed to see it."""

    DEFAULT_CSS = """
    PageBar {
        height: 1; background: $surface; color: $foreground;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    """

    class Chosen(Message):
        def __init__(self, page: int) -> None:
            super().__init__()
            self.page = page

    def __init__(self) -> None:
        super().__init__()
        self._page, self._note = 0, ""

    def show(self, page: int, note: str) -> None:
        if (page, note) != (self._page, self._note):
            self._page, self._note = page, note
            self.refresh()

    def render(self) -> Text:
        text = Text(" ", no_wrap=True, overflow="ellipsis")
        for place, label in enumerate(_labels(self._page)):
            text.append(label, "bold reverse" if place == self._page else "")
            text.append(" ")
        text.append(f"  {self._note}", "dim")
        return text

    def on_click(self, event: events.Click) -> None:
        left = event.x - 1
        for place, label in enumerate(_labels(self._page)):
            if 0 <= left < width(label):
                self.post_message(self.Chosen(place))
            left -= width(label) + 1


def _labels(page: int) -> list[str]:
    named = [f"{place + 1} {name}" for place, name in enumerate(PAGES)]
    return [f"[{name}]" if place == page else f" {name} " for place, name in enumerate(named)]


def _one_line(text: str) -> str:
    return " ".join(text.split())
