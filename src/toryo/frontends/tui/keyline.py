"""The line of keys at the bottom, drawn as one text: as many as fit, and help always.

Textual's own footer is a widget for every key, all made anew whenever another widget gets the keys; that alone takes
longer than changing the mode may.
"""

from textual import events
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from toryo.domain.facts import fact
from toryo.views.columns import width

_HELP = "help"


@fact
class _Key:
    key: str
    shown: str
    does: str
    action: str

    @property
    def cells(self) -> int:
        return width(self.shown) + width(self.does) + 3


class KeyLine(Widget):
    """What can be done here and now; a press on it is a press of the key."""

    DEFAULT_CSS = """
    KeyLine { dock: bottom; height: 1; background: $footer-background; color: $footer-description-foreground; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[_Key, ...] = ()

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._look_again)
        self._look_again(self.screen)

    def _look_again(self, screen: Screen[object]) -> None:
        if screen is not self.screen:
            return
        found: dict[str, _Key] = {}
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.show and active.enabled and binding.description:
                shown = self.app.get_key_display(binding)
                found.setdefault(binding.action, _Key(binding.key, shown, binding.description, binding.action))
        keys = tuple(found.values())
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def render(self) -> Content:
        left, right = self._placed()
        used = sum(key.cells for key in (*left, *right))
        gap = " " * max(self.size.width - used, 0)
        return Content.assemble(*self._words(left), gap, *self._words(right))

    def _placed(self) -> tuple[list[_Key], list[_Key]]:
        """What is on the left, as far as there is room, and what stays on the right."""
        right = [key for key in self._keys if key.action == _HELP]
        room = self.size.width - sum(key.cells for key in right)
        left = []
        for key in self._keys:
            if key not in right and key.cells <= room:
                left.append(key)
                room -= key.cells
            elif key not in right:
                break
        return left, right

    def _words(self, keys: list[_Key]) -> list[tuple[str, str]]:
        parts = []
        for key in keys:
            parts += [(f" {key.shown}", "bold $footer-key-foreground"), (f" {key.does} ", "")]
        return parts

    def on_click(self, event: events.Click) -> None:
        left, right = self._placed()
        at = 0
        for key in left:
            at += key.cells
            if event.x < at:
                self.app.simulate_key(key.key)
                return
        if right and event.x >= self.size.width - sum(key.cells for key in right):
            self.app.simulate_key(right[0].key)
