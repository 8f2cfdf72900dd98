"""Long lines folded to a number of cells, also where a language has no spaces between its words."""

import re

from toryo.views.columns import letters, width

_NEVER_FIRST = "、。，．・：；？！）］｝」』】〉》〕ー…々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
_DRAWN_INTO = r"\u200d.|[\ufe0e\ufe0f\u0300-\u036f\u3099\u309a\U0001f3fb-\U0001f3ff]"
_PIECE = rf"\s+|[\x21-\u2e7f]+|[^\s\x21-\u2e7f](?:{_DRAWN_INTO}|[{_NEVER_FIRST}])*"
"""Spaces, a word, or one character of a script that may be broken anywhere, with what must not begin a line.

Compiled when it is used first: that takes longer than an app has for its first screen.
"""


def folded(text: str, cells: int) -> list[str]:
    """Every line of the text in as many lines as it needs; what is too long for one is cut in pieces."""
    return [part for line in text.split("\n") for part in _line(line, max(cells, 2))]


def _line(line: str, cells: int) -> list[str]:
    done, now = [], ""
    for piece in re.findall(_PIECE, line):
        if width(now) + width(piece) <= cells:
            now += piece
            continue
        if piece.isspace():
            done.append(now)
            now = ""
            continue
        if now.strip():
            done.append(now.rstrip())
        now = piece
        while width(now) > cells:
            head = _head(now, cells)
            done.append(head)
            now = now[len(head) :]
    return [*done, now.rstrip()] if now or not done else done


def _head(text: str, cells: int) -> str:
    """At least one letter: of a picture of two cells there is no half."""
    head, taken = "", 0
    for letter in letters(text):
        taken += width(letter)
        if taken > cells and head:
            break
        head += letter
    return head
