"""JSON, as far as it has come, as the texts in it that are for people."""

import re
from contextlib import suppress

_SKIPPED = frozenset(
    {"type", "complexity", "worktree", "scope", "model", "agent", "depends_on", "follows", "parallel", "checks"}
    | {"run", "slug", "id", "remedy"}
)
"""Names of what is for programs."""
_LISTED = {
    "questions": "Questions",
    "tasks": "Tasks",
    "issues": "Found in it",
    "missing": "Missing",
    "suggestions": "What could follow",
    "changes": "Tasks that change",
    "cancel": "Tasks that are dropped",
    "children": "Parts",
    "proposals": "Proposed",
}
_NAMED = {"default": "by default: "}
_NUMBERS = {"score": "Score: "}
_DEEPEST = 12
_BLANK = re.compile(r"[ \t\r\n]*")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LITERAL = re.compile(r"[-+.\w]+")
_PLAIN = re.compile(r'[^"\\]+')
_SHORT = {"n": "\n", "t": "\t", "r": "", "b": "", "f": "", "/": "/", "\\": "\\", '"': '"'}
_HIGH, _LOW = range(0xD800, 0xDC00), range(0xDC00, 0xE000)


class _Cut(Exception):
    """The text ends here, or is no JSON from here on."""


def told_of(text: str) -> str:
    """What it says so far, in the order in which it says it."""
    reading = _Reading(text)
    with suppress(_Cut):
        reading.value("", 0, is_item=False)
    return "".join(reading.out).lstrip("\n")


class _Reading:
    """Reads from left to right, and notes what is for people as it goes by."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self.out: list[str] = []
        self._last = ""
        """The name of what was noted last in the innermost object."""

    def value(self, name: str, depth: int, *, is_item: bool) -> None:
        match self._next():
            case "{" if depth < _DEEPEST:
                self._object(name, depth, is_item=is_item)
            case "[" if depth < _DEEPEST:
                self._list(name, depth)
            case '"':
                self._place += 1
                self._string(None if name in _SKIPPED else self._opening(name, depth, is_item=is_item), depth)
            case _:
                self._literal(name)

    # ── structure ────────────────────────────────────────────────────────────

    def _object(self, name: str, depth: int, *, is_item: bool) -> None:
        self._place += 1
        self._last, is_first = "", True
        while self._next() != "}":
            if self._next() != '"':
                raise _Cut
            self._place += 1
            field = self._word()
            if self._next() != ":":
                raise _Cut
            self._place += 1
            noted = len(self.out)
            self.value(name if name in _SKIPPED else field, depth, is_item=is_item and is_first)
            if len(self.out) > noted:
                self._last, is_first = field, False
            self._comma("}")
        self._place += 1

    def _list(self, name: str, depth: int) -> None:
        self._place += 1
        before = len(self.out)
        if depth == 0 and name in _LISTED:
            self.out.append("")  # its heading's place, once there is something in it
        while self._next() != "]":
            noted = len(self.out)
            try:
                self.value(name, depth + 1, is_item=True)
            finally:
                if len(self.out) > noted and depth == 0 and name in _LISTED:
                    self.out[before] = f"\n\n{_LISTED[name]}:\n"
            self._comma("]")
        self._place += 1

    def _comma(self, end: str) -> None:
        sign = self._next()
        if sign == ",":
            self._place += 1
        elif sign != end:
            raise _Cut

    def _next(self) -> str:
        found = _BLANK.match(self._text, self._place)
        self._place = found.end() if found else self._place
        if self._place == len(self._text):
            raise _Cut
        return self._text[self._place]

    # ── what it says ─────────────────────────────────────────────────────────

    def _opening(self, name: str, depth: int, *, is_item: bool) -> str:
        """What stands before a text of this name here."""
        indent = "  " * max(0, depth - 1)
        if is_item:
            return f"\n{indent}- "
        if name == "title" and depth == 0:
            return "\n\n### "
        if name in ("title", "says") and self._last == "key":
            return ": "
        label = _NAMED.get(name, "")
        return f"\n\n{indent}  {label}" if depth else f"\n\n{label}"

    def _string(self, opening: str | None, depth: int) -> None:
        """Notes it as far as it goes; None: nobody wants to read it."""
        line = "\n" + "  " * depth
        has_begun = False
        while (piece := self._piece()) is not None:
            if not has_begun:
                piece = piece.lstrip()
            if not piece or opening is None:
                continue
            if not has_begun:
                self.out.append(opening)
                has_begun = True
            self.out.append(piece.replace("\n", line))

    def _word(self) -> str:
        pieces = []
        while (piece := self._piece()) is not None:
            pieces.append(piece)
        return "".join(pieces)

    def _piece(self) -> str | None:
        """The next part of a string; None: it is over. Raises where the text ends before."""
        text, place = self._text, self._place
        if place == len(text):
            raise _Cut
        if text[place] == '"':
            self._place += 1
            return None
        if found := _PLAIN.match(text, place):
            self._place = found.end()
            return found[0]
        if place + 1 == len(text):
            raise _Cut
        if text[place + 1] != "u":
            self._place += 2
            return _SHORT.get(text[place + 1], text[place + 1])
        return self._escaped()

    def _escaped(self) -> str:
        code = self._unit(self._place)
        self._place += 6
        if code in _HIGH:
            if self._text[self._place : self._place + 2] == "\\u":
                low = self._unit(self._place)
                if low in _LOW:
                    self._place += 6
                    return chr(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00)
            elif len(self._text) < self._place + 2:
                raise _Cut  # its other half may follow
        return "�" if code in _HIGH or code in _LOW else chr(code)

    def _unit(self, place: int) -> int:
        digits = self._text[place + 2 : place + 6]
        if not _HEX.fullmatch(digits):
            raise _Cut
        return int(digits, 16)

    def _literal(self, name: str) -> None:
        found = _LITERAL.match(self._text, self._place)
        if not found or found.end() == len(self._text):
            raise _Cut  # there may be another digit to come
        self._place = found.end()
        if name in _NUMBERS:
            self.out.append(f"\n\n{_NUMBERS[name]}{found[0][:12]}")
        elif name == "complete":
            self.out.append("\n\nComplete" if found[0] == "true" else "\n\nNot complete")
