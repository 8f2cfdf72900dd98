"""Rows as aligned columns, also where characters are two cells wide."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

_JOINER, _AS_PICTURE, _SOFT_HYPHEN = "\u200d", "\ufe0f", "\xad"
_PICTURES_TOO = frozenset("#*0123456789©®")
"""Of what is no picture by itself, what may become one."""


def width(text: str) -> int:
    """Cells on the screen."""
    if text.isascii():
        return len(text)
    if _JOINER not in text and _AS_PICTURE not in text:
        return sum(map(_room, text))
    return sum(map(_cells, letters(text)))


def letters(text: str) -> Iterator[str]:
    """Pieces that must not be parted: a character, with accents and whatever else is drawn into its cells."""
    now = ""
    for char in text:
        if now and (not _room(char) or now.endswith(_JOINER)):
            now += char
            continue
        if now:
            yield now
        now = char
    if now:
        yield now


def _cells(letter: str) -> int:
    first = letter[0]
    may_be_picture = first in _PICTURES_TOO or first > "\u2000"
    return 2 if _AS_PICTURE in letter[1:2] and may_be_picture else _room(first)


@lru_cache(maxsize=4096)
def _room(char: str) -> int:
    """Cells of one character that stands for itself; 0: it is drawn into those before it."""
    kind = unicodedata.category(char)
    is_tone, is_vowel_below = "\U0001f3fb" <= char <= "\U0001f3ff", "\u1160" <= char <= "\u11ff"
    if kind[0] == "M" or (kind == "Cf" and char != _SOFT_HYPHEN) or is_tone or is_vowel_below:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clipped(text: str, cells: int) -> str:
    """At most so many cells, on one line, with an ellipsis where something was cut off."""
    text = " ".join(text.split())
    if width(text) <= cells:
        return text
    kept, left = "", cells - 1
    for letter in letters(text):
        left -= _cells(letter)
        if left < 0:
            break
        kept += letter
    return kept + "…"


def columns(rows: Sequence[Sequence[str]], heads: Sequence[str] = (), room: int = 0) -> list[str]:
    """One line per row; the last column is not padded. Where there is too little room, long cells are cut."""
    every = [tuple(heads), *rows] if heads else list(rows)
    if not every:
        return []
    widths = [max(width(row[place]) for row in every) for place in range(len(every[0]))]
    if room:
        widths = _narrowed(widths, room - 2 * (len(widths) - 1))
        every = [
            [cell if width(cell) <= cells else clipped(cell, cells) for cell, cells in zip(row, widths, strict=True)]
            for row in every
        ]
    return [
        "  ".join(
            cell + " " * (cells - width(cell)) if place < len(row) - 1 else cell
            for place, (cell, cells) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    ]


def _narrowed(widths: list[int], room: int) -> list[int]:
    """The widest columns give way first, none below what still says something."""
    widths = list(widths)
    while sum(widths) > room and max(widths) > _LEAST:
        widths[widths.index(max(widths))] -= 1
    return widths


_LEAST = 16
