"""What the planner says: a reply as it comes, and replies that stand."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Markdown

from toryo.frontends.tui.agent.lines import LABELS
from toryo.frontends.tui.agent.planned import Folded
from toryo.frontends.tui.agent.reading import markdown
from toryo.frontends.tui.agent.shown import Shown, plain
from toryo.views.entries import Entry
from toryo.views.screen import clean

_DOING = {
    "questions": "looks for what has to be asked",
    "specify": "writes the specification",
    "plan": "writes the technical plan",
    "tasks": "divides it into tasks",
    "score": "judges the plan",
    "saying": "considers what you said",
    "review": "reviews work",
    "judge": "judges the whole",
    "reconsider": "thinks about what to do",
}


class Said(Shown):
    """A reply that stands."""

    DEFAULT_CSS = """
    Said { layout: vertical; border-left: thick $secondary; padding-left: 1; margin: 1 0; }
    Said > .label { text-style: bold; }
    Said > Markdown { padding: 0; margin: 0; background: $background; }
    Said > Markdown > *:last-child { margin-bottom: 0; }
    """

    def compose(self) -> ComposeResult:
        what = self.item.what
        assert isinstance(what, Entry)
        yield plain(LABELS[what.who], classes="label")
        yield markdown(what.text)
        for section in what.sections:
            yield Folded(section, is_open=False)


class Reply(Widget):
    """A reply as it comes: the end of it is seen, and it goes when what became of it is there."""

    DEFAULT_CSS = """
    Reply { layout: vertical; height: auto; border-left: thick $secondary; padding-left: 1; margin: 1 0; }
    Reply > .label { text-style: bold; }
    Reply > VerticalScroll { height: auto; max-height: 12; }
    Reply Markdown { padding: 0; margin: 0; background: $background; }
    """

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question
        self._shown = ""

    def compose(self) -> ComposeResult:
        doing = _DOING.get(self.question, f"answers ({self.question})" if self.question else "answers")
        yield plain(f"planner {doing} …", classes="label")
        with VerticalScroll(can_focus=False):
            yield markdown()

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).anchor()

    async def grow(self, text: str) -> None:
        """To this text; where it does not begin as before, it is shown anew."""
        text, shown = clean(text), self.query_one(Markdown)
        if text.startswith(self._shown):
            await shown.append(text[len(self._shown) :])
        else:
            await shown.update(text)
        self._shown = text
