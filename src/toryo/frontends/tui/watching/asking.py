"""What a person is asked before a key's decision holds, and the decision itself."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from toryo.app.deciding import Asking
from toryo.app.inboxdoor import settle, what_is_asked
from toryo.domain.planning import Question
from toryo.frontends.tui.dialogs import AskLine, said
from toryo.rules.answering import NotUnderstood, answers_from
from toryo.views.inboxitems import Choice, Item, where
from toryo.views.plan import question_lines

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp

_DOING = {
    Choice.APPROVE: "Approve",
    Choice.ANSWER: "Answer",
    Choice.REJECT: "Reject",
    Choice.RETRY: "Try again",
}


class AskWords(AskLine):
    """A line, below all of what it is about."""

    DEFAULT_CSS = """
    AskWords .dialog-lines { max-height: 10; }
    """

    def __init__(self, title: str, about: Sequence[str], label: str, check: Callable[[str], str]) -> None:
        super().__init__(title, label, check=check)
        self._about = about

    def inside(self) -> ComposeResult:
        if self._about:
            yield VerticalScroll(said("\n".join(self._about)), classes="dialog-lines", can_focus=False)
        yield from super().inside()

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(Input).focus()


class Deciding:
    """One decision: what has to be asked is asked, one thing after the other; Esc leaves everything as it is."""

    def __init__(self, face: "ToryoApp", item: Item, choice: Choice) -> None:
        self._face, self._item, self._choice = face, item, choice
        self._said: list[str] = []

    def begin(self) -> None:
        self._face.carry_out(partial(what_is_asked, self._face.root, self._item, self._choice), self._ask)

    @property
    def _title(self) -> str:
        return f"{_DOING[self._choice]}: {where(self._item)}"

    def _ask(self, asking: Asking) -> None:
        if asking.questions:
            self._ask_next(asking.questions, 0)
        elif asking.prompt:
            check = partial(_needed, asking.prompt) if asking.is_needed else _anything
            self._show(AskWords(self._title, self._item.says.splitlines(), asking.prompt, check), self._settle)
        else:
            self._settle("")

    def _ask_next(self, questions: tuple[Question, ...], place: int) -> None:
        """Each for itself: so an answer in own words needs no number before it."""
        if place == len(questions):
            self._settle("\n".join(self._said))
            return
        question = questions[place]

        def then(words: str) -> None:
            if words.strip():
                self._said.append(f"{place + 1}: {words.strip()}")
            self._ask_next(questions, place + 1)

        count = f" ({place + 1} of {len(questions)})" if len(questions) > 1 else ""
        about = list(question_lines((question,)))
        check = partial(_understood, question)
        self._show(AskWords(f"{self._title}{count}", about, _how(question), check), then)

    def _show(self, dialog: AskWords, then: Callable[[str], object]) -> None:
        def done(words: str | None) -> None:
            if words is not None:
                then(words)

        self._face.push_screen(dialog, done)

    def _settle(self, words: str) -> None:
        act = partial(settle, self._face.root, self._item, self._choice, words.strip())
        self._face.carry_out(act, self._face.tell)


def _how(question: Question) -> str:
    if not question.options:
        return "Your answer, in your own words"
    how = "a letter, or your own words"
    return f"Enter takes the default; or {how}" if question.default else how.capitalize()


def _understood(question: Question, words: str) -> str:
    try:
        given = answers_from(f"1: {words}" if words.strip() else "", (question,))
    except NotUnderstood as error:
        return str(error)
    return "" if given else "this one has no default: say something"


def _needed(prompt: str, words: str) -> str:
    return "" if words.strip() else f"{prompt}? Say it in a few words"


def _anything(_: str) -> str:
    return ""
