"""What the two modes have in common: they hear what happens, and know whether somebody looks at them."""

from typing import TYPE_CHECKING, cast

from textual.widget import Widget

from toryo.app.following import Heard

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp


class Pane(Widget):
    """One mode. It is there all the time, and shown or not."""

    @property
    def face(self) -> "ToryoApp":
        return cast("ToryoApp", self.app)

    @property
    def is_looked_at(self) -> bool:
        return bool(self.display)

    def hear(self, heard: Heard) -> None:
        """Something was recorded, or another session is at work; called also while nobody looks."""

    def come_forward(self) -> None:
        """Somebody looks at it from now on: whoever is typed to gets the keys."""
