"""What was typed before, one step back or forth at a time; what is being typed waits at the end."""

from collections.abc import Sequence

_MOST = 500


class Recall:
    """A walk through the past that leaves it as it was."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._place = 0
        self._draft = ""

    def fill(self, lines: Sequence[str]) -> None:
        """With what others kept, oldest first; what was typed here meanwhile stays the latest."""
        self._lines = [*lines, *self._lines][-_MOST:]
        self._place = len(self._lines)

    def add(self, text: str) -> None:
        """It was sent, or put aside."""
        if text and (not self._lines or self._lines[-1] != text):
            self._lines = [*self._lines, text][-_MOST:]
        self._place, self._draft = len(self._lines), ""

    def back(self, typed: str) -> str | None:
        """The one before; None: there is none."""
        if self._place == len(self._lines):
            self._draft = typed
        if self._place == 0:
            return None
        self._place -= 1
        return self._lines[self._place]

    def forth(self) -> str | None:
        if self._place >= len(self._lines):
            return None
        self._place += 1
        return self._lines[self._place] if self._place < len(self._lines) else self._draft
