"""Reads the everyday part of YAML many times faster than the full parser, and leaves the rest to it."""

import re
from collections.abc import Callable

from toryo.adapters.located import Node, Pairs, Unreadable

_ORDINARY = (
    (" ", "~"),
    ("\xa0", "\u2027"),
    ("\u202a", "\ud7ff"),
    ("\ue000", "\ufefe"),
    ("\uff00", "\ufffd"),
    ("\U00010000", "\U0010ffff"),
)
"""From which to which character; as a regular expression, such a set takes 5 ms to compile."""
_KEY = re.compile(r"([A-Za-z_$][A-Za-z0-9_-]*):(?: +(.*))?$")
_QUOTED = re.compile(r"""(?:"([^"\\]*)"|'([^']*)')(?: +#.*)?$""")
_FLOW = re.compile(r"(\[|\{)([^\[\]{}]*)(\]|\})(?: +#.*)?$")
_FLOW_KEY = re.compile(r" *([A-Za-z_][A-Za-z0-9_-]*): +")
_FLOW_VALUE = re.compile(r""" *(?:"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_./][^,:#"'&!|>%@`\\?]*?)) *(,|$)""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_SPECIAL_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


_seen_ordinary = {"\n"}
"""Many small files say much the same: no character needs to be looked at twice."""


class _Odd(Exception):
    """Something that the full parser should look at."""


def read_plain_yaml(text: str) -> Node | None:
    """The same tree the full parser makes, or None: ask the full parser."""
    unknown = set(text) - _seen_ordinary
    if any(_is_odd(character) for character in unknown):
        return None
    _seen_ordinary.update(unknown)
    try:
        lines = _Lines(text)
        if lines.peek() != 0:
            return None
        root = Node(lines.at + 1, _mapping(lines, 0))
        return root if lines.peek() is None else None  # a line deeper than all before it is left over, too
    except (_Odd, Unreadable, RecursionError):
        return None


def _is_odd(character: str) -> bool:
    return not any(first <= character <= last for first, last in _ORDINARY)


class _Lines:
    """A cursor over the lines; an item's dash counts as indentation of what follows it."""

    def __init__(self, text: str) -> None:
        self.all = text.split("\n")
        self.at = 0
        self.dash = 0

    def peek(self) -> int | None:
        """Indentation of the next line that says something; None at the end."""
        if self.dash:
            return self.dash
        while self.at < len(self.all):
            line = self.all[self.at]
            bare = line.lstrip(" ")
            if bare and bare[0] != "#":
                return len(line) - len(bare)
            self.at += 1
        return None

    def rest(self, indent: int) -> str:
        return self.all[self.at][indent:].rstrip(" ")

    def advance(self) -> None:
        self.at += 1
        self.dash = 0


def _mapping(lines: _Lines, indent: int) -> Pairs:
    pairs = Pairs()
    while lines.peek() == indent:
        found = _KEY.match(lines.rest(indent))
        if not found or found[1].lower() in _SPECIAL_WORDS:
            raise _Odd
        line = lines.at + 1
        pairs.append((found[1], line, _value(lines, indent, found[2] or "")))
    return pairs


def _sequence(lines: _Lines, indent: int) -> list[Node]:
    items = []
    while lines.peek() == indent and (rest := lines.rest(indent)).startswith("- "):
        line = lines.at + 1
        inner = rest[2:].lstrip(" ")
        if _KEY.match(inner):
            lines.dash = indent + len(rest) - len(inner)
            items.append(Node(line, _mapping(lines, lines.dash)))
        elif inner and inner[0] != "#":
            items.append(_value(lines, indent, inner))
        else:
            raise _Odd
    return items


def _value(lines: _Lines, indent: int, rest: str) -> Node:
    """What stands behind a key or a dash, from the cursor's line on."""
    line = lines.at + 1
    lines.advance()
    if not rest or rest[0] == "#":
        return _nested(lines, indent, line)
    if rest in ("|", "|-"):
        return Node(line, _literal(lines, indent, rest))
    return Node(line, _inline(rest, line))


def _nested(lines: _Lines, indent: int, line: int) -> Node:
    deeper = lines.peek()
    if deeper is None or deeper < indent:
        return Node(line, None)
    is_sequence = lines.rest(deeper).startswith("- ")
    if not is_sequence and deeper == indent:
        return Node(line, None)
    line = lines.at + 1
    read: Callable[[_Lines, int], object] = _sequence if is_sequence else _mapping
    return Node(line, read(lines, deeper))


def _literal(lines: _Lines, indent: int, header: str) -> str:
    """The lines of a `|` block, without their common indentation."""
    first = lines.all[lines.at] if lines.at < len(lines.all) else ""
    margin = len(first) - len(first.lstrip(" "))
    if margin <= indent or margin == len(first):
        raise _Odd
    content = []
    while lines.at < len(lines.all):
        line = lines.all[lines.at]
        bare = line.lstrip(" ")
        if bare and len(line) - len(bare) < margin:
            break
        content.append(line[margin:])
        lines.at += 1
    if lines.at == len(lines.all) and content[-1]:
        raise _Odd  # without a last line break the block ends differently
    return "\n".join(content).rstrip("\n") + ("\n" if header == "|" else "")


def _inline(rest: str, line: int) -> object:
    if found := _QUOTED.match(rest):
        return found[1] if found[1] is not None else found[2]
    if found := _FLOW.match(rest):
        opening, inner, closing = found.groups()
        if opening + closing == "[]":
            return _flow_list(inner, line)
        if opening + closing == "{}":
            return _flow_mapping(inner, line)
        raise _Odd
    if (comment := rest.find(" #")) >= 0:
        rest = rest[:comment].rstrip(" ")
    if _NUMBER.fullmatch(rest):
        return float(rest) if "." in rest else int(rest)
    if not _may_begin(rest[:1]) or ": " in rest or rest.endswith(":"):
        raise _Odd
    return _word(rest)


def _may_begin(character: str) -> bool:
    """Whether plain text may begin with it; not all of what YAML allows."""
    return character >= "\xa1" or (character.isalnum() and character.isascii()) or character in ("_", ".", "/")


def _flow_list(inner: str, line: int) -> list[Node]:
    items: list[Node] = []
    at = 0
    while at < len(inner) or (items and at == len(inner) and inner.endswith(",")):
        value, at = _flow_value(inner, at)
        items.append(Node(line, value))
    return items


def _flow_mapping(inner: str, line: int) -> Pairs:
    pairs = Pairs()
    at = 0
    while at < len(inner) or (pairs and at == len(inner) and inner.endswith(",")):
        key = _FLOW_KEY.match(inner, at)
        if not key or key[1].lower() in _SPECIAL_WORDS:
            raise _Odd
        value, at = _flow_value(inner, key.end())
        pairs.append((key[1], line, Node(line, value)))
    return pairs


def _flow_value(inner: str, at: int) -> tuple[object, int]:
    found = _FLOW_VALUE.match(inner, at)
    if not found:
        raise _Odd
    double, single, plain, _ = found.groups()
    quoted = double if double is not None else single
    return (_word(plain) if quoted is None else quoted), found.end()


def _word(text: str) -> object:
    if text[0].isalpha():
        if text == "null":
            return None
        if text.lower() in _SPECIAL_WORDS:
            raise _Odd
        return text
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if text[4:5] == "-" and text[:4].isdecimal() and text.isascii():
        return text  # a date; those are not part of YAML 1.2
    if "/" in text or (text[0].isdigit() and text[-1] in "smh"):
        return text  # a path or a length of time; no number of YAML looks like these
    from toryo.adapters.located_yaml import plain_scalar  # takes longer to import than most plans to read

    return plain_scalar(text)
