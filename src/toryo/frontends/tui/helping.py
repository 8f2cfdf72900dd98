"""The help screen, made of the key bindings themselves."""

from collections.abc import Iterable

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

from toryo.views.columns import width

_MODES = (
    "Branch mode shows every branch: its worktree, what changed on it and why, who works on it.",
    "Agent mode is one conversation: say what you want, answer what is asked, approve the plan, see it done.",
    "Work goes on in the background whichever mode you look at, and after you have left.",
)
_SPELT = """
escape=Esc enter=Enter space=Space tab=Tab backspace=Backspace delete=Del up=↑ down=↓ left=← right=→ home=Home end=End
pageup=PgUp pagedown=PgDn question_mark=? slash=/ full_stop=. comma=, colon=: plus=+ minus=- left_square_bracket=[
right_square_bracket=] ctrl=Ctrl shift=Shift alt=Alt
"""
_NAMES = dict(pair.split("=") for pair in _SPELT.split())
_NOISE = frozenset(
    {"copy_text", "command_palette", "help_quit", "focus_next", "focus_previous", "suspend_process"}
    | {"scroll_left", "scroll_right", "page_left", "page_right"}
)
"""What Textual binds by itself, and what needs no words."""
_MOVES = ("scroll_", "page_", "cursor_", "first", "last")
_HERE, _MOVING, _EVERYWHERE = "On this screen", "Moving about", "Everywhere"
_BETWEEN = " or "


class HelpScreen(ModalScreen[None]):
    """Every key that does something on the screen below, in the words of its binding."""

    BINDINGS = [Binding("escape,q,f1,question_mark", "dismiss", "Close")]
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        & > VerticalScroll {
            width: 72; max-width: 96%; height: auto; max-height: 96%;
            padding: 0 2; border: round $primary; border-title-color: $foreground; background: $surface;
            scrollbar-size-vertical: 1;
        }
    }
    """

    def __init__(self, about: Screen[object]) -> None:
        super().__init__()
        self._groups = key_groups(about.active_bindings.values())

    def compose(self) -> ComposeResult:
        with VerticalScroll() as shown:
            shown.border_title = "Help"
            shown.border_subtitle = "Esc closes"
            yield Static(self._words())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def _words(self) -> Text:
        room = max((width(keys) for group in self._groups.values() for keys, _ in group), default=0)
        text = Text()
        for title, group in self._groups.items():
            text.append(f"{title}\n", "bold")
            for keys, words in group:
                text.append(f"  {keys}{' ' * (room - width(keys))}  ", "bold")
                text.append(f"{words}\n")
            text.append("\n")
        text.append("The two modes\n", "bold")
        return text.append("\n".join(_MODES))


def key_groups(bindings: Iterable[ActiveBinding]) -> dict[str, list[tuple[str, str]]]:
    """What there is on this screen, and everywhere: the keys of each action, and what it does."""
    groups: dict[str, dict[tuple[str, str], list[str]]] = {_HERE: {}, _EVERYWHERE: {}, _MOVING: {}}
    for active in bindings:
        binding = active.binding
        if not _is_worth_telling(binding):
            continue
        words = binding.tooltip or binding.description  # the line of keys has room for one word each
        keys = groups[_group(active)].setdefault((binding.action, words), [])
        if (name := key_name(binding)) not in keys:
            keys.append(name)
    return {
        title: [(_BETWEEN.join(keys), words) for (_, words), keys in group.items()]
        for title, group in groups.items()
        if group
    }


def _group(active: ActiveBinding) -> str:
    if isinstance(active.node, App):
        return _EVERYWHERE
    return _MOVING if active.binding.action.startswith(_MOVES) else _HERE


def _is_worth_telling(binding: Binding) -> bool:
    action = binding.action.rpartition(".")[2].partition("(")[0]
    return bool(binding.description) and not binding.system and action not in _NOISE and "super" not in binding.key


def key_name(binding: Binding) -> str:
    """As it stands on a keyboard."""
    if binding.key_display:
        return binding.key_display
    *held, last = binding.key.split("+") if binding.key != "plus" else ["plus"]
    single = last.upper() if held or (last[:1] == "f" and last[1:].isdigit()) else last
    return "+".join([*(_NAMES.get(part, part.title()) for part in held), _NAMES.get(last, single)])
