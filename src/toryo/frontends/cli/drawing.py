"""A few lines at the foot of the terminal that are redrawn, below lines that stay."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from toryo.frontends.cli.talking import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

_EVERY = 0.125


class Foot:
    """Drawing and printing take turns: side by side, a line would begin in the middle of what is redrawn."""

    def __init__(self, render: "Callable[[int, int], RenderableType]") -> None:
        """`render` is told how wide and how high the terminal is."""
        from rich.console import Console
        from rich.live import Live

        self._console: Console = Console(stderr=True, highlight=False)
        self._live = Live(
            get_renderable=lambda: render(*self._console.size),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._turn = threading.RLock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._redraw, daemon=True)

    def __enter__(self) -> "Foot":
        self._live.start()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._live.stop()

    def _redraw(self) -> None:
        while not self._ended.wait(_EVERY):
            with self._turn:
                self._live.refresh()

    def print(self, text: str, style: str = "") -> None:
        with self._turn:
            self._console.print(clean(text), markup=False, style=style)
