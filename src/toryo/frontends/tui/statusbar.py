"""The line at the bottom: what is being worked on, what waits, and what it has cost."""

import time

from rich.text import Text
from textual.widget import Widget

from toryo.app.following import Desk, Heard
from toryo.views.appbar import appbar_words
from toryo.views.screen import clean

_LOOK_AGAIN = 1.0
"""Seconds: times that pass are shown by the clock, and nothing is recorded of that."""


class StatusBar(Widget):
    """Most important first: what does not fit is cut off at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._desk = Desk()
        self._shown = ""

    def on_mount(self) -> None:
        self.set_interval(_LOOK_AGAIN, self._look_again)

    def hear(self, heard: Heard) -> None:
        self._desk = heard.desk
        self._look_again()

    def _look_again(self) -> None:
        if self._words() != self._shown:
            self.refresh()

    def _words(self) -> str:
        desk = self._desk
        words = appbar_words(desk.session, desk.queued, is_conducted=desk.is_conducted, now=time.time())
        return clean(" │ ".join(words))

    def render(self) -> Text:
        self._shown = self._words()
        return Text(f" {self._shown}", no_wrap=True, overflow="ellipsis")
