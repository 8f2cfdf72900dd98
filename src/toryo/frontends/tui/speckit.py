"""The Spec Kit wizard: specification, plan and tasks, one after the other, written with a model, read on the spot."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Markdown, OptionList, Static
from textual.widgets.option_list import Option

from toryo.app.beginning import begin_with_tasks
from toryo.app.planning import take_in
from toryo.app.speccing import (
    Bench,
    SpecSight,
    analyze,
    clarify,
    known_specs,
    questions_about,
    shown_document,
    specify,
    write_plan,
    write_tasks,
)
from toryo.domain.planning import Document, Question
from toryo.frontends.tui.agent.reading import markdown
from toryo.frontends.tui.asking import Asking
from toryo.frontends.tui.dialogs import AskLine, Confirm
from toryo.frontends.tui.keyline import KeyLine
from toryo.rules.answering import NotUnderstood, answers_from
from toryo.views.columns import clipped
from toryo.views.plan import question_lines
from toryo.views.screen import clean

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp

_MARKS = {Document.SPEC: "S", Document.PLAN: "P", Document.TASKS: "T"}
_NOTHING = "There is no specification here yet.\n\nPress **n** and say what you want."
T = TypeVar("T")


class SpecKitScreen(Screen[None]):
    """The specifications on the left, the text of the chosen one on the right."""

    BINDINGS = [
        Binding("escape", "leave", "Back"),
        Binding("n", "specify", "New"),
        Binding("c", "clarify", "Clarify"),
        Binding("p", "plan", "Plan"),
        Binding("t", "tasks", "Tasks"),
        Binding("a", "analyze", "Analyze"),
        Binding("x", "carry_out", "Carry out"),
        Binding("1", "read('spec')", "Read spec.md", show=False),
        Binding("2", "read('plan')", "Read plan.md", show=False),
        Binding("3", "read('tasks')", "Read tasks.md", show=False),
        Binding("tab", "app.focus_next", "Other side", show=False),
    ]
    DEFAULT_CSS = """
    SpecKitScreen #specs { width: 34; height: 1fr; border: round $panel; }
    SpecKitScreen #text { width: 1fr; height: 1fr; border: round $panel; padding: 0 1; }
    SpecKitScreen #specs:focus, SpecKitScreen #text:focus { border: round $primary; }
    SpecKitScreen Markdown { margin: 0; padding: 0; }
    """

    def __init__(self, face: "ToryoApp") -> None:
        super().__init__()
        self._face = face
        self._specs: list[SpecSight] = []
        self._document = Document.SPEC
        self._asking = Asking(self._face, lambda text: self._show(text, "reply"))

    def compose(self) -> ComposeResult:
        yield Static(" Spec Kit", id="head", markup=False)
        with Horizontal():
            yield OptionList(id="specs")
            with VerticalScroll(id="text"):
                yield markdown()
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#specs").border_title = "Specifications"
        self._look()

    def on_unmount(self) -> None:
        self._asking.stop()

    # ── what is there ────────────────────────────────────────────────────────

    def _look(self, chosen: str = "") -> None:
        root = self._face.root
        self._face.carry_out(lambda: known_specs(root), lambda found: self._list(found, chosen))

    def _look_again(self, _: object) -> None:
        self._look(self._chosen.spec.name if self._chosen else "")

    def _list(self, found: list[SpecSight], chosen: str) -> None:
        self._specs = found
        listed = self.query_one("#specs", OptionList)
        listed.clear_options()
        listed.add_options([Option(_label(each), id=each.spec.name) for each in found])
        if found:
            names = [each.spec.name for each in found]
            listed.highlighted = names.index(chosen) if chosen in names else 0
        else:
            self._show(_NOTHING, "")
        listed.focus()

    @property
    def _chosen(self) -> SpecSight | None:
        place = self.query_one("#specs", OptionList).highlighted
        return self._specs[place] if place is not None and place < len(self._specs) else None

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        if not self._asking.is_under_way:
            self.action_read(self._document)

    def action_read(self, document: str) -> None:
        self._document = Document(document)
        sight = self._chosen
        if sight is None:
            return
        wanted = sight.spec.file(self._document)
        missing = f"There is no {wanted.name} yet."
        self._face.carry_out(
            lambda: shown_document(sight.spec, Document(document)) or missing,
            lambda text: self._show(text, f"{wanted.name} (1 spec · 2 plan · 3 tasks)"),
        )

    def _show(self, text: str, title: str) -> None:
        self.query_one("#text").border_title = title
        self.query_one(Markdown).update(clean(text))

    # ── steps ────────────────────────────────────────────────────────────────

    def action_specify(self) -> None:
        def typed(words: str | None) -> None:
            if words and words.strip():
                self._document = Document.SPEC
                self._ask("writing spec.md", lambda bench: _specified(bench, words), self._look)

        self.app.push_screen(AskLine("A new specification", "What do you want? (a text, a file, #issue, URL)"), typed)

    def action_clarify(self) -> None:
        def asked(found: tuple[SpecSight, tuple[Question, ...]]) -> None:
            sight, questions = found
            if not questions:
                self._face.tell("nothing is unclear")
                self.action_read(Document.SPEC)
                return
            self._show("\n\n".join(question_lines(questions)), "questions")
            label = "Enter takes all defaults; or 1b 2a, or 1: your own words"
            self.app.push_screen(
                AskLine("Answers", label, check=lambda words: _wrong(words, questions)),
                lambda words: self._clarified(sight, questions, words),
            )

        if sight := self._with_a_spec():
            self._ask("asking what is unclear", lambda bench: (sight, questions_about(bench, sight.spec)), asked)

    def _clarified(self, sight: SpecSight, questions: tuple[Question, ...], words: str | None) -> None:
        if words is None:
            self.action_read(Document.SPEC)
            return
        answers = answers_from(words, questions)
        if answers:
            self._document = Document.SPEC
            self._ask("writing the answers down", lambda bench: clarify(bench, sight.spec, answers), self._look_again)

    def action_plan(self) -> None:
        self._write(Document.PLAN, lambda bench, sight: write_plan(bench, sight.spec, force=True))

    def action_tasks(self) -> None:
        self._write(Document.TASKS, lambda bench, sight: write_tasks(bench, sight.spec, force=True))

    def _write(self, document: Document, write: Callable[[Bench, SpecSight], object]) -> None:
        sight = self._with_a_spec()
        if sight is None:
            return

        def go(is_wanted: bool | None) -> None:
            if is_wanted:
                self._document = document
                self._ask(f"writing {document}.md", lambda bench: write(bench, sight), self._look_again)

        if document in sight.documents:
            lines = [f"{sight.spec.name} has a {document}.md already.", "What is there now is kept aside."]
            self.app.push_screen(Confirm("Write it anew?", lines, "Write it anew"), go)
        else:
            go(True)

    def action_analyze(self) -> None:
        if sight := self._with_a_spec():
            self._ask(
                "looking whether they agree",
                lambda bench: analyze(bench, sight.spec),
                lambda text: self._show(text, "analysis"),
            )

    def action_carry_out(self) -> None:
        sight = self._with_a_spec()
        if sight is None:
            return
        tasks, root = sight.spec.file(Document.TASKS), self._face.root
        if Document.TASKS not in sight.documents:
            self._face.tell("there is no tasks.md yet: p plans, t makes tasks of the plan")
            return

        def go(is_wanted: bool | None) -> None:
            if is_wanted:
                self._face.carry_out(
                    lambda: begin_with_tasks(root, tasks),
                    lambda session: self._face.tell(f"session {session.short} carries it out; Tab shows agent mode"),
                )

        lines = [f"Agents do the open tasks of {sight.spec.name}/tasks.md, in worktrees of their own."]
        self.app.push_screen(Confirm("Carry it out?", lines, "Carry it out"), go)

    def _with_a_spec(self) -> SpecSight | None:
        if self._chosen is None:
            self._face.tell("there is no specification yet: n begins one")
        return self._chosen

    # ── asking the model ─────────────────────────────────────────────────────

    def _ask(self, says: str, act: Callable[[Bench], T], then: Callable[[T], object]) -> None:
        if self._asking.begin(self._face.root, act, then, lambda: self._say("")):
            self._say(f"{says} … (Esc stops waiting)")

    def _say(self, text: str) -> None:
        for head in self.query("#head").results(Static):  # none any more once the screen is left
            head.update(clean(f" Spec Kit  {text}"))

    def action_leave(self) -> None:
        if not self._asking.stop():
            self.app.pop_screen()


def _label(sight: SpecSight) -> Text:
    """The letters of the documents that are there; no colour is needed to see which."""
    letters = "".join(mark if document in sight.documents else "·" for document, mark in _MARKS.items())
    return Text(f"{letters} {clipped(clean(sight.title), 27)}")


def _specified(bench: Bench, words: str) -> str:
    return specify(bench, take_in(words.strip(), bench.place.root)).name


def _wrong(words: str, questions: tuple[Question, ...]) -> str:
    try:
        answered = answers_from(words, questions)
    except NotUnderstood as error:
        return str(error)
    return "" if answered else "not every question has a default"
