"""What is printed while somebody types: it appears above their line, a burst at a time, and never in it."""

import asyncio
import codecs
import io
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app_or_none
from prompt_toolkit.output import Output
from prompt_toolkit.utils import is_dumb_terminal

from toryo.app.pausing import heed, pause
from toryo.frontends.repl.prompting import PROMPT

_BURST = 100
"""Lines at once: few enough that a key that is pressed meanwhile shows at once."""
_BREATH = 0.01
"""Seconds between two bursts, for the keys."""
_MOST_WAITING = 300
"""Lines; who says more than the screen can take waits, so that what is stopped stops at once."""
_WAIT = 0.02


class Above:
    """Takes whole lines from any thread; prints them in the one that draws the prompt."""

    def __init__(self, output: Output, lost: Callable[[], None]) -> None:
        """`lost` is called once the screen is gone."""
        self._output, self._lost = output, lost
        self._is_dumb = is_dumb_terminal()
        self._lines: deque[str] = deque()
        self._guard = threading.Lock()
        self._loop = asyncio.get_running_loop()
        self._wanted = asyncio.Event()

    def put(self, *lines: str) -> None:
        with self._guard:
            self._lines.extend(lines)
        if not self._loop.is_closed():  # as where a command outlives the dialogue
            self._loop.call_soon_threadsafe(self._wanted.set)

    def put_patiently(self, *lines: str) -> None:
        """Not before there is room; not at all where what is being done was stopped."""
        heed()
        while len(self._lines) > _MOST_WAITING and not self._loop.is_closed():
            pause(_WAIT)
        self.put(*lines)

    @property
    def is_empty(self) -> bool:
        return not self._lines

    async def print(self) -> None:
        """For ever."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while not self.is_empty:
                try:
                    self._print_burst()
                except OSError:
                    self._lost()
                    return
                await asyncio.sleep(_BREATH)

    def finish(self) -> None:
        """What is left, at the end."""
        with suppress(OSError):
            while not self.is_empty:
                self._print_burst()

    def _print_burst(self) -> None:
        app = get_app_or_none()
        if app is not None and app.is_running and app.is_done:
            return  # the line that was just sent is about to be drawn for the last time
        with self._guard:
            burst = [self._lines.popleft() for _ in range(min(_BURST, len(self._lines)))]
        text = "".join(f"{line}\r\n" for line in burst)
        if app is None or not app.is_running:
            self._write(text)
        elif self._is_dumb:
            self._write(f"\r\n{text}{_unstyled_prompt(app)}")
        else:
            self._write_above(app, text)

    def _write_above(self, app: Application[Any], text: str) -> None:
        """As prompt_toolkit does it, but the terminal stays as it is: keys pressed meanwhile are not echoed by it."""
        app.renderer.erase(leave_alternate_screen=False)
        self._output.enable_autowrap()
        self._write(text)
        app.renderer.reset()
        app.renderer.request_absolute_cursor_position()
        app._redraw()

    def _write(self, text: str) -> None:
        self._output.write_raw(text)
        self._output.flush()


def _unstyled_prompt(app: Application[Any]) -> str:
    return f"{PROMPT}{app.current_buffer.text}"


class Stream(io.RawIOBase):
    """A file that is written to the screen above the prompt, line by line; it has no number of the system's."""

    def __init__(self, above: Above, *, is_screen: bool) -> None:
        self._above, self._is_screen = above, is_screen
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._is_screen

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        *lines, self._rest = (self._rest + self._decoder.decode(bytes(data))).split("\n")
        for start in range(0, len(lines), _BURST):
            self._above.put_patiently(*lines[start : start + _BURST])
        return len(data)

    def end_line(self) -> None:
        """What has no end yet gets one."""
        rest, self._rest = self._rest, ""
        if rest:
            self._above.put(rest)


def text_stream(stream: Stream) -> io.TextIOWrapper:
    return io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", write_through=True)  # type: ignore[arg-type]
