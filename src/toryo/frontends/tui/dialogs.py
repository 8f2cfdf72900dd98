"""Small dialogs: a line is asked for, something is confirmed or told, one of several is chosen."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from toryo.frontends.tui.typing import TypedLine
from toryo.views.screen import clean

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A box in the middle of the screen; Esc, and a press beside it, leave everything as it is."""

    BINDINGS = [
        Binding("escape", "leave", "Leave it"),
        Binding("right", "app.focus_next", show=False),
        Binding("left", "app.focus_previous", show=False),
    ]
    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 72;
            max-width: 96%;
            height: auto;
            max-height: 96%;
            padding: 1 2 0 2;
            border: round $primary;
            background: $surface;
        }
        .dialog-title { text-style: bold; margin-bottom: 1; }
        .dialog-lines { height: auto; max-height: 12; margin-bottom: 1; }
        .dialog-wrong { color: $text-error; height: auto; min-height: 1; }
        .dialog-buttons { height: auto; align-horizontal: right; margin-top: 1; }
        .dialog-buttons Button { margin-left: 2; }
        OptionList { height: auto; max-height: 14; margin-bottom: 1; background: $surface; }
    }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> ComposeResult:
        with Vertical():
            yield said(self._title, classes="dialog-title")
            yield from self.inside()

    def inside(self) -> ComposeResult:
        """What is below the title."""
        yield from ()

    def buttons(self, yes_label: str) -> Horizontal:
        yes = Button(Content(clean(yes_label)), variant="primary", id="yes", compact=True)
        return Horizontal(Button("Cancel", id="no", compact=True), yes, classes="dialog-buttons")

    def action_leave(self) -> None:
        self.dismiss(None)

    def on_click(self, event: object) -> None:
        if getattr(event, "widget", None) is self:
            self.action_leave()

    @on(Button.Pressed, "#no")
    def _leave(self) -> None:
        self.action_leave()


class AskLine(Dialog[str]):
    """One line. `check` says what is wrong with it while it is typed; nothing wrong is the empty text.

    It is asked at every key, so it must answer from what is known, without looking anywhere.
    """

    def __init__(
        self,
        title: str,
        label: str,
        initial: str = "",
        check: Callable[[str], str] | None = None,
        *,
        yes_label: str = "OK",
        is_secret: bool = False,
    ) -> None:
        super().__init__(title)
        self._label, self._initial, self._check, self._yes_label = label, initial, check, yes_label
        self._is_secret = is_secret

    def inside(self) -> ComposeResult:
        yield said(self._label)
        yield TypedLine(self._initial, password=self._is_secret)
        yield said("", id="wrong", classes="dialog-wrong")
        yield self.buttons(self._yes_label)

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        # What is wrong with an empty line need not be said before anything was typed.
        self._judge(is_said=bool(self._initial))

    @on(Input.Changed)
    def _typed(self) -> None:
        self._judge()

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def _take(self) -> None:
        if not self._judge():
            self.dismiss(self.query_one(Input).value)

    def _judge(self, *, is_said: bool = True) -> str:
        wrong = self._check(self.query_one(Input).value) if self._check else ""
        self.query_one("#wrong", Static).update(Content(clean(wrong) if is_said else ""))
        return wrong


class Confirm(Dialog[bool]):
    """What is about to happen, and whether it shall; True or None."""

    BINDINGS = [Binding("y", "agree", "Yes"), Binding("n", "leave", "No")]

    def __init__(self, title: str, lines: Sequence[str], yes_label: str = "Yes", *, is_risky: bool = False) -> None:
        super().__init__(title)
        self._lines, self._yes_label, self._is_risky = lines, yes_label, is_risky

    def inside(self) -> ComposeResult:
        yield VerticalScroll(said("\n".join(self._lines)), classes="dialog-lines")
        yield self.buttons(self._yes_label)

    def on_mount(self) -> None:
        """Enter alone does nothing that cannot be taken back."""
        self.query_one("#no" if self._is_risky else "#yes").focus()

    def action_agree(self) -> None:
        self.dismiss(True)

    @on(Button.Pressed, "#yes")
    def _agree(self) -> None:
        self.action_agree()


class Tell(Dialog[None]):
    """Something to be read before going on, such as why something cannot be."""

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        super().__init__(title)
        self._lines = lines

    def inside(self) -> ComposeResult:
        yield VerticalScroll(said("\n".join(self._lines)), classes="dialog-lines")
        close = Button("Close", variant="primary", id="no", compact=True)
        yield Horizontal(close, classes="dialog-buttons")

    def on_mount(self) -> None:
        self.query_one("#no").focus()


class Choose(Dialog[str]):
    """One of several, each a value and the words for it; the first nine also by their numbers."""

    BINDINGS = [Binding(str(number), f"take({number})", show=False) for number in range(1, 10)]

    def __init__(self, title: str, options: Sequence[tuple[str, str]], lines: Sequence[str] = ()) -> None:
        super().__init__(title)
        self._options, self._lines = options, lines

    def inside(self) -> ComposeResult:
        if self._lines:
            yield VerticalScroll(said("\n".join(self._lines)), classes="dialog-lines")
        words = [f"{place}  {words}" if place < 10 else f"   {words}" for place, (_, words) in self._numbered()]
        yield OptionList(*(Option(Content(clean(each))) for each in words), markup=False, compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def action_take(self, number: int) -> None:
        if number <= len(self._options):
            self.dismiss(self._options[number - 1][0])

    @on(OptionList.OptionSelected)
    def _take(self, event: OptionList.OptionSelected) -> None:
        self.action_take(event.option_index + 1)

    def _numbered(self) -> list[tuple[int, tuple[str, str]]]:
        return list(enumerate(self._options, 1))


def said(text: str, *, id: str | None = None, classes: str | None = None) -> Static:  # noqa: A002 - as Textual calls it
    """A text that may come from anywhere: shown as it is, never as markup."""
    return Static(Content(clean(text)), id=id, classes=classes, markup=False)
