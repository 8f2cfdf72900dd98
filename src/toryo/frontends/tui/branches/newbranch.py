"""The dialog for a new branch: its name, and where it begins."""

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.suggester import SuggestFromList
from textual.widgets import Button, Input, Static

from toryo.frontends.tui.dialogs import Dialog, said
from toryo.frontends.tui.typing import TypedLine
from toryo.rules.branchnames import why_not_a_name
from toryo.views.screen import clean


class NewBranch(Dialog[tuple[str, str]]):
    """What is wrong with the name is said while it is typed; branches are completed in the start (→ takes them)."""

    def __init__(self, known: Sequence[str], start: str) -> None:
        super().__init__("New branch")
        self._known, self._start = known, start

    def inside(self) -> ComposeResult:
        yield said("Name")
        yield TypedLine(id="name", placeholder="feature/what-it-is-for")
        yield said("Begins at (a branch, a tag or a commit)")
        suggester = SuggestFromList(self._known)
        yield TypedLine(self._start, id="start", suggester=suggester, placeholder="what is checked out")
        yield said("", id="wrong", classes="dialog-wrong")
        yield self.buttons("Create")

    def on_mount(self) -> None:
        self.query_one("#name").focus()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._judge(is_said=bool(self._named))

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def _take(self) -> None:
        if not self._judge():
            self.dismiss((self._named, self.query_one("#start", Input).value.strip()))

    @property
    def _named(self) -> str:
        return self.query_one("#name", Input).value.strip()

    def _judge(self, *, is_said: bool = True) -> str:
        wrong = why_not_a_name(self._named, self._known)
        self.query_one("#wrong", Static).update(Content(clean(wrong) if is_said else ""))
        return wrong
