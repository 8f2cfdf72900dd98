"""Waiting for a model's reply: said at once, and on a terminal seen as it comes."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from toryo.app.inquiring import Ear
from toryo.frontends.cli.drawing import Foot
from toryo.frontends.cli.progress import Listening
from toryo.frontends.cli.talking import say

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
        self._listening = Listening()
        self.foot = Foot(self._render)

    def hear(self, question: str, piece: str) -> None:
        self._listening.hear(question, piece)

    def note(self, text: str) -> None:
        self.foot.print(text)

    def _render(self, width: int, _: int) -> "RenderableType":
        from rich.text import Text

        return Text("\n".join(self._listening.lines(width - 4, time.time())), style="dim")


@contextmanager
def listening(said: str) -> Iterator[Ear]:
    say(said)
    if not sys.stderr.isatty():
        yield Plain()
        return
    live = Live()
    with live.foot:
        yield live


@contextmanager
def not_listening(_: str) -> Iterator[Ear]:
    yield Plain()
