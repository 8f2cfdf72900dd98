"""Keys that a person presses at a terminal, one at a time, however fast they come."""

import re
import unicodedata

import click

UP, DOWN, ENTER, LEAVE = "up", "down", "enter", "leave"
_ONE = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])|.", re.DOTALL)
_NAMED = {
    "\x1b[A": UP,
    "\x1bOA": UP,
    "\x1b[B": DOWN,
    "\x1bOB": DOWN,
    "\r": ENTER,
    "\n": ENTER,
    "\x1b": LEAVE,
    "\x03": LEAVE,
    "\x04": LEAVE,
}


class Keys:
    """What is typed ahead is kept, and told key by key."""

    def __init__(self) -> None:
        self._ahead: list[str] = []

    def next(self) -> str:
        """A letter in lower case, also from a keyboard that writes wide ones, or the name of a key."""
        while not self._ahead:
            try:
                self._ahead = _ONE.findall(click.getchar())
            except (KeyboardInterrupt, EOFError):
                return LEAVE
        key = self._ahead.pop(0)
        return _NAMED.get(key) or unicodedata.normalize("NFKC", key).lower()

    def number(self, first: str, most: int) -> int:
        """The number that begins with this digit; read on only while a longer one is possible."""
        said = first
        while int(said) * 10 <= most:
            key = self.next()
            if not (key.isascii() and key.isdecimal()):
                if key != ENTER:
                    self._ahead.insert(0, key)
                break
            said += key
        return int(said)
