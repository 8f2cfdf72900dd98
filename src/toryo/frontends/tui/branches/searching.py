"""The line in which branches are searched for; the list follows every key."""

from textual.binding import Binding
from textual.message import Message

from toryo.frontends.tui.typing import TypedLine


class SearchLine(TypedLine):
    """Esc gives the whole list back, Enter goes to what was found."""

    BINDINGS = [
        Binding("escape", "clear_search", "Whole list"),
        Binding("down", "submit", "To the list", show=False),
    ]
    DEFAULT_CSS = """
    SearchLine { display: none; padding: 0 1; background: $surface; }
    SearchLine.-open { display: block; }
    """

    class Cleared(Message):
        """Nothing is searched for any more."""

    def __init__(self) -> None:
        super().__init__(compact=True, placeholder="name, subject, task; :running :dirty :ahead :worktree :agent")

    @property
    def words(self) -> str:
        return self.value.strip()

    def open(self) -> None:
        self.add_class("-open")
        self.screen.set_focus(self)  # at once: letters come behind

    def close(self) -> None:
        self.value = ""
        self.remove_class("-open")

    def action_clear_search(self) -> None:
        self.close()
        self.post_message(self.Cleared())
