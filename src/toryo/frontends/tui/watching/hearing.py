"""What the screens in front of the two modes have in common: they hear what happens, and go away with Esc."""

from typing import TYPE_CHECKING, cast

from textual.binding import Binding
from textual.screen import Screen

from toryo.app.following import Heard

if TYPE_CHECKING:
    from toryo.app.waiting import Waiting
    from toryo.frontends.tui.app import ToryoApp


class HearingScreen(Screen[None]):
    """In front of the main screen, which tells it what it hears."""

    BINDINGS = [Binding("escape", "app.pop_screen", "Back")]

    @property
    def face(self) -> "ToryoApp":
        return cast("ToryoApp", self.app)

    def hear(self, heard: Heard) -> None:
        """Something was recorded, or another session is at work."""

    def hear_waiting(self, waiting: "Waiting") -> None:
        """Something else waits for a person than before."""
