"""The settings wizard: who plans, with which key, and who does tasks; nothing is written before it is saved."""

from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, RadioSet, Select, Static

from toryo.app.configuration import settings_around
from toryo.app.configuring import Draft, Settings, file_to_change
from toryo.app.keys import checked
from toryo.app.modelwish import (
    OFFERED,
    ModelWish,
    agent_names,
    draft_of,
    has_key,
    offered,
    proposed,
    saved,
    takes_key,
    tried,
    usual_model,
)
from toryo.domain.errors import ToryoError
from toryo.frontends.faults import fault
from toryo.frontends.tui.marks import Choice, Tick
from toryo.frontends.tui.typing import TypedLine
from toryo.views.screen import clean

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp


class SettingsScreen(ModalScreen[bool]):
    """Ends with whether something was saved."""

    BINDINGS = [
        Binding("escape", "leave", "Cancel"),
        Binding("ctrl+t", "try", "Try it"),
        Binding("ctrl+s", "save", "Save"),
    ]

    DEFAULT_CSS = """
    SettingsScreen { align: center middle; }
    SettingsScreen > VerticalScroll {
        width: 76; max-width: 100%; height: auto; max-height: 100%;
        padding: 0 2; border: round $primary; background: $surface;
    }
    SettingsScreen RadioSet, SettingsScreen RadioSet:focus {
        width: 100%; border: none; padding: 0; background: $surface;
    }
    SettingsScreen Input { border: none; height: 1; background: $boost; }
    SettingsScreen .field { height: 1; }
    SettingsScreen .field Label { width: 12; }
    SettingsScreen .field Input { width: 1fr; }
    SettingsScreen .field Select { width: 1fr; }
    SettingsScreen Tick { border: none; padding: 0; background: $surface; }
    SettingsScreen Horizontal.buttons { height: 1; align-horizontal: right; margin: 1 0; }
    SettingsScreen Button { margin-left: 2; }
    SettingsScreen #said { height: auto; color: $text; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._settings: Settings | None = None
        self._is_busy = False

    @property
    def _face(self) -> "ToryoApp":
        return cast("ToryoApp", self.app)

    def compose(self) -> ComposeResult:
        with VerticalScroll() as box:
            box.border_title = "Settings"
            yield Label("Who plans and judges?")
            yield RadioSet(*(Choice(name, id=f"provider-{name}") for name in OFFERED), id="provider")
            yield from _field("url", "Address", "empty: the provider's own")
            yield from _field("model", "Model", "empty: the provider's choice")
            yield from _field("key", "Key", "not shown; kept in a file of its own", password=True)
            with Horizontal(classes="field"):
                yield Label("Tasks by")
                yield Select[str]([], id="agent", allow_blank=True, prompt="choose an agent", compact=True)
            yield Tick("for this project only", id="project")
            yield Static("looking at what is here …", id="said", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Try", id="try", compact=True)
                yield Button("Save", id="save", variant="primary", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        root = self._face.root
        self._face.carry_out(lambda: _looked(settings_around(root)), self._fill)

    def _fill(self, found: "tuple[Settings, list[tuple[str, str]], ModelWish, list[str]]") -> None:
        """With what is configured or here; whoever typed already keeps that."""
        self._settings, labels, wish, agents = found
        for name, label in labels:
            self.query_one(f"#provider-{name}", Choice).label = Content(clean(label))
        if wish.provider:
            self.query_one(f"#provider-{wish.provider}", Choice).value = True
        self.query_one("#url", Input).value = wish.base_url
        self.query_one("#model", Input).value = wish.model
        select = self.query_one("#agent", Select)
        select.set_options([(Content(clean(name)), name) for name in agents])
        if wish.agent in agents:
            select.value = wish.agent
        self._say("")
        self.query_one("#provider", RadioSet).focus()

    # ── what is chosen ───────────────────────────────────────────────────────

    @on(RadioSet.Changed, "#provider")
    def _chosen(self) -> None:
        provider = self._provider()
        for name in ("url", "key"):
            self.query_one(f"#{name}", Input).disabled = not takes_key(provider)
        if self._settings is not None:
            is_own = provider == self._settings.model.provider
            url = self._settings.model.base_url if is_own else ""
            self.query_one("#url", Input).value = url
            self.query_one("#model", Input).value = self._settings.model.model if is_own else usual_model(provider, url)
            is_set = takes_key(provider) and has_key(ModelWish(provider), self._settings)
            self.query_one("#key", Input).placeholder = "SET; typed anew, it is replaced" if is_set else "NOT SET"

    def _provider(self) -> str:
        pressed = self.query_one("#provider", RadioSet).pressed_button
        return (pressed.id or "").removeprefix("provider-") if pressed else ""

    def _wish(self) -> ModelWish:
        provider = self._provider()
        if not provider:
            raise ToryoError("E510", "nobody is chosen to plan", hint="choose one of the providers above")
        agent = self.query_one("#agent", Select).value
        if not isinstance(agent, str):
            raise ToryoError("E510", "nobody is chosen to do tasks", hint="choose an agent")
        key = self.query_one("#key", Input).value.strip() if takes_key(provider) else ""
        url = self.query_one("#url", Input).value.strip() if takes_key(provider) else ""
        model = self.query_one("#model", Input).value.strip()
        return ModelWish(provider, model, url, agent, checked(key, "what was typed") if key else "")

    # ── what is done ─────────────────────────────────────────────────────────

    @on(Button.Pressed, "#cancel")
    def action_leave(self) -> None:
        self.dismiss(False)

    @on(Button.Pressed, "#try")
    def action_try(self) -> None:
        self._begin(saving=False)

    @on(Button.Pressed, "#save")
    @on(Input.Submitted)
    def action_save(self) -> None:
        self._begin(saving=True)

    def _begin(self, *, saving: bool) -> None:
        if self._is_busy or self._settings is None:
            return
        try:
            wish = self._wish()
        except ToryoError as error:
            self._say(_words(error))
            return
        was, is_project = self._settings.model.provider, self.query_one("#project", Tick).value
        root = self._face.root

        def act() -> tuple[bool, str]:
            """What went wrong is said here, where it can be put right."""
            try:
                made = draft_of(root, file_to_change(root, project=is_project), wish, was=was)
                return True, _done(wish, made, saving=saving)
            except ToryoError as error:
                return False, _words(error)
            except Exception as error:  # noqa: BLE001 - what was typed stays on the screen
                return False, _words(fault(error))

        self._is_busy = True
        self._say("saving …" if saving else "asking it one tiny question …")
        self._face.carry_out(act, lambda done: self._ended(*done, saving=saving))

    def _ended(self, went_well: bool, says: str, *, saving: bool) -> None:
        self._is_busy = False
        if went_well and saving:
            self._face.tell(says)
            self.dismiss(True)
        else:
            self._say(says)

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(clean(text))


def _field(name: str, label: str, placeholder: str, *, password: bool = False) -> ComposeResult:
    with Horizontal(classes="field"):
        yield Label(label)
        yield TypedLine(placeholder=placeholder, password=password, id=name)


def _looked(settings: Settings) -> tuple[Settings, list[tuple[str, str]], ModelWish, list[str]]:
    labels = [(each.provider, f"{each.provider}: {each.says}") for each in offered(settings)]
    return settings, labels, proposed(settings), agent_names(settings)


def _done(wish: ModelWish, made: Draft, *, saving: bool) -> str:
    return "\n".join(saved(wish, made)) if saving else tried(wish, made)


def _words(error: ToryoError) -> str:
    return f"{error.message} ({error.code})" + (f"\nhint: {error.hint}" if error.hint else "")
