"""Rows as aligned columns, also where characters are two cells wide."""

import unicodedata
from collections.abc import Sequence


def width(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def clipped(text: str, cells: int) -> str:
    """At most so many cells, on one line, with an ellipsis where something was cut off."""
    text = " ".join(text.split())
    if width(text) <= cells:
        return text
    kept = ""
    for char in text:
        if width(kept + char) > cells - 1:
            break
        kept += char
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
