"""Waiting for a model's reply: said at once, and on a terminal seen as it comes."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from toryo.app.speccing import Ear
from toryo.frontends.cli.progress import Listening
from toryo.frontends.cli.talking import printable, say

if TYPE_CHECKING:
    from rich.console import RenderableType


class Plain:
    def hear(self, question: str, piece: str) -> None:
        pass

    def note(self, text: str) -> None:
        say(text)


class Live:
    """The last lines of the reply, redrawn a few times a second."""

    def __init__(self) -> None:
        from rich import live
        from rich.console import Console

        self._console: Console = Console(stderr=True, highlight=False)
        self._listening = Listening()
        self.display = live.Live(
            get_renderable=self._render, console=self._console, refresh_per_second=8, transient=True
        )

    def hear(self, question: str, piece: str) -> None:
        self._listening.hear(question, piece)

    def note(self, text: str) -> None:
        self._console.print(printable(text), markup=False)

    def _render(self) -> "RenderableType":
        from rich.text import Text

        return Text("\n".join(self._listening.lines(self._console.width - 4, time.time())), style="dim")


@contextmanager
def listening(said: str) -> Iterator[Ear]:
    say(said)
    if not sys.stderr.isatty():
        yield Plain()
        return
    live = Live()
    with live.display:
        yield live


@contextmanager
def not_listening(_: str) -> Iterator[Ear]:
    yield Plain()
