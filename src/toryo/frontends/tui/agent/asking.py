"""Questions before the plan: options are marked, and Enter takes everything as it is marked."""

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from toryo.domain.changing import changed
from toryo.domain.planning import Answer, Question
from toryo.frontends.tui.agent.items import Item
from toryo.frontends.tui.agent.lines import LABELS
from toryo.frontends.tui.agent.shown import Card, content, plain
from toryo.rules.answering import LETTERS, NotUnderstood, answers_from
from toryo.views.entries import Entry, Standing


class OptionLine(Static):
    """One option; the mark is seen without colour."""

    DEFAULT_CSS = """
    OptionLine { padding-left: 2; pointer: pointer; }
    OptionLine.-here { background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold; }
    """

    def __init__(self, question: int, place: int) -> None:
        super().__init__("", markup=False)
        self.question, self.place = question, place

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(QuestionsCard.Pressed(self))


class QuestionsCard(Card):
    """All questions at once, each with its default marked."""

    BINDINGS = [
        Binding("enter", "next", "Take it, and on"),
        Binding("space", "mark", "Mark"),
        Binding("up", "go(-1)", show=False),
        Binding("down", "go(1)", show=False),
        *(Binding(letter, f"letter({place})", show=False) for place, letter in enumerate(LETTERS)),
    ]
    DEFAULT_CSS = """
    QuestionsCard .question { text-style: bold; margin-top: 1; }
    QuestionsCard .why { color: $text-muted; padding-left: 2; }
    """

    class Pressed(Message):
        def __init__(self, line: OptionLine) -> None:
            super().__init__()
            self.line = line

    class Answered(Message):
        """None: every default."""

        def __init__(self, item: Item, answers: tuple[Answer, ...] | None) -> None:
            super().__init__()
            self.item, self.answers = item, answers

    def __init__(self, item: Item) -> None:
        super().__init__(item)
        assert isinstance(item.what, Entry)
        self.questions = item.what.questions
        self.is_waiting = item.what.standing is Standing.WAITING
        self.marks = [question.default for question in self.questions]
        self._lines: list[OptionLine] = []
        self._place = self._first_marked()
        self.can_focus = self.is_waiting
        self.set_class(not self.is_waiting, "-quiet")

    def inside(self) -> ComposeResult:
        entry = self.item.what
        assert isinstance(entry, Entry)
        if not self.is_waiting:
            yield plain("\n".join(_answered(entry)))
            return
        yield plain(f"{LABELS[entry.who]}: {entry.text}", classes="title")
        for number, question in enumerate(self.questions):
            yield plain(f"{number + 1}  {question.text}", classes="question")
            if question.why:
                yield plain(question.why, classes="why")
            for place in range(len(question.options) + 1):
                line = OptionLine(number, place)
                self._lines.append(line)
                yield line

    def on_mount(self) -> None:
        self._draw()

    def _first_marked(self) -> int:
        options = self.questions[0].options if self.questions else ()
        return options.index(self.marks[0]) if self.marks and self.marks[0] in options else 0

    # ── what is marked ───────────────────────────────────────────────────────

    @property
    def current(self) -> int:
        """The question somebody is at."""
        return self._lines[self._place].question if self._lines else 0

    def mark(self, question: int, words: str) -> None:
        self.marks[question] = words
        self._draw()

    def marked(self) -> tuple[Answer, ...] | None:
        """As it is marked; None: one of them still needs an answer, and that is where we are now."""
        for number, words in enumerate(self.marks):
            if not words:
                self._place = next(at for at, line in enumerate(self._lines) if line.question == number)
                self._draw()
                return None
        return tuple(Answer(question.text, words) for question, words in zip(self.questions, self.marks, strict=True))

    def take_words(self, text: str) -> str:
        """Choices such as `1b 2a` are sent, with all else as it is marked; other words are the answer to the question
        somebody is at, and what there is to know about that is handed back.
        """
        marked = tuple(changed(one, default=words) for one, words in zip(self.questions, self.marks, strict=True))
        try:
            given = answers_from(text, marked)
        except NotUnderstood:
            self.mark(self.current, text.strip())
            return f"question {self.current + 1} has your words now: Enter sends all answers"
        for answer in given:
            self.marks[next(at for at, one in enumerate(self.questions) if one.text == answer.question)] = answer.text
        self._draw()
        return self.submit()

    def submit(self) -> str:
        """Everything as it is marked; what is still missing, if anything."""
        answers = self.marked()
        if answers is None:
            return f"question {self.current + 1} has no default: choose, or type an answer"
        is_default = self.marks == [question.default for question in self.questions]
        self.post_message(self.Answered(self.item, None if is_default else answers))
        return ""

    # ── keys and the mouse ───────────────────────────────────────────────────

    def action_go(self, step: int) -> None:
        place = self._place + step
        if 0 <= place < len(self._lines):
            self._place = place
            self._draw()
            self._lines[place].scroll_visible(animate=False)
        else:
            self.post_message(self.Passed(self, step))

    def action_mark(self) -> None:
        self._choose(self._lines[self._place])

    def action_letter(self, place: int) -> None:
        if place < len(self.questions[self.current].options):
            self._choose(next(line for line in self._lines if (line.question, line.place) == (self.current, place)))

    def action_next(self) -> None:
        """The option we are at is taken; after the last question, everything."""
        self.action_mark()
        following = next((at for at, line in enumerate(self._lines) if line.question > self.current), None)
        if following is None:
            self.submit()
        else:
            self._place = following
            self._draw()

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def on_questions_card_pressed(self, event: Pressed) -> None:
        event.stop()
        self._choose(event.line)

    def _choose(self, line: OptionLine) -> None:
        self._place = self._lines.index(line)
        options = self.questions[line.question].options
        if line.place < len(options):
            self.marks[line.question] = options[line.place]
        self._draw()

    def _draw(self) -> None:
        for at, line in enumerate(self._lines):
            question, mark = self.questions[line.question], self.marks[line.question]
            line.set_class(self.has_focus and at == self._place, "-here")
            line.update(_option_words(question, line.place, mark))


def _option_words(question: Question, place: int, mark: str) -> Content:
    if place < len(question.options):
        option = question.options[place]
        sign = "●" if option == mark else "○"
        default = "  (default)" if option == question.default else ""
        return content(f"{sign} {LETTERS[place]}) {option}{default}")
    is_own = bool(mark) and mark not in question.options
    return content(f"● your words: {mark}" if is_own else "○ or your own words: type them below")


def _answered(entry: Entry) -> list[str]:
    given = {answer.question: answer for answer in entry.answers}
    lines = ["questions, answered"]
    for question in entry.questions:
        answer = given.get(question.text)
        by = f" ({answer.by})" if answer and answer.by else ""
        lines.append(f"{question.text} → {answer.text if answer else '-'}{by}")
    return lines
