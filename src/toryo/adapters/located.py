"""Values that know the line they were written on, and problems that say it."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path

from toryo.domain.changing import changed
from toryo.domain.facts import fact

Place = tuple[str | int, ...]
NO_VALUE = "has no value; give it one or leave it out"
"""Said of every field that is null, for whoever has fields that may be."""


class Unreadable(Exception):
    """The text cannot be read at all; `line` is where reading stopped."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@fact
class Node:
    """A scalar, a list of nodes, or (as `Pairs`) a mapping that may still name a key twice."""

    line: int
    value: object


class Pairs(list[tuple[str, int, Node]]):
    """The entries of a mapping in the order they are written: key, line of the key, value."""


@fact
class Document:
    """Plain values, the line of every place in them, and what is wrong with them whatever they mean."""

    value: object
    lines: dict[Place, int] = field(default_factory=dict)
    problems: list[tuple[Place, int, str]] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of the place, or of the nearest place around it that exists."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


class Problems:
    """What is wrong, and where; a place is complained about once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.entries: list[tuple[int, str]] = []
        self.places: set[Place] = set()
        self.fields: set[Place] = set()
        """The fields, of the whole or of one task, in which something is wrong."""
        for place, line, message in document.problems:
            self.add(place, message, line)

    def add(self, place: Place, message: str, line: int | None = None) -> None:
        if place in self.places and line is None:
            return
        self.places.add(place)
        self.fields.add(place[:3] if len(place) > 1 and isinstance(place[1], int) else place[:1])
        said = f"{name_of(place)}: {message}" if place else message
        self.entries.append((line or self.document.line(place), said))

    def lines(self, path: Path) -> list[str]:
        ordered = sorted(self.entries, key=lambda entry: entry[0])
        return [f"{path}:{line}: {said}".encode(errors="backslashreplace").decode() for line, said in ordered]


def locate(root: Node) -> Document:
    """The plain values of a tree of nodes."""
    document = Document(None, {(): root.line})
    try:
        return changed(document, value=_plain(root, (), document))
    except RecursionError as error:
        raise Unreadable(root.line, "nested too deeply") from error


def _plain(node: Node, place: Place, document: Document) -> object:
    value = node.value
    if isinstance(value, Pairs):
        return _mapping(value, place, document)
    if isinstance(value, list):
        items = []
        for number, item in enumerate(value):
            inner = (*place, number)
            document.lines[inner] = item.line
            items.append(_plain(item, inner, document))
        return items
    if value is None and place:
        document.problems.append((place, document.lines[place], NO_VALUE))
    if isinstance(value, str):
        return _clean(value, place, document)
    return value


def _mapping(pairs: Pairs, place: Place, document: Document) -> dict[str, object]:
    result: dict[str, object] = {}
    for raw, line, node in pairs:
        key = _clean(raw, (*place, raw), document)
        inner = (*place, key)
        if key in result:
            message = f"is given twice; first on line {document.lines[inner]}"
            document.problems.append((inner, line, message))
            continue
        document.lines[inner] = line
        result[key] = _plain(node, inner, document)
    return result


def _clean(text: str, place: Place, document: Document) -> str:
    """Escaped surrogate pairs become one character; what no program could be given is a problem."""
    if text.isascii() and "\0" not in text:
        return text
    try:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        document.problems.append((place, document.line(place), "contains half a surrogate pair"))
        return "?"
    if "\0" in text:
        document.problems.append((place, document.line(place), "contains a NUL character"))
        return "?"
    return text


# ── JSON ─────────────────────────────────────────────────────────────────────

_TOKEN = re.compile(r'\n|"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+')


def read_json(text: str) -> Node:
    """The tree of a JSON text; Unreadable if it is not JSON."""
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise Unreadable(error.lineno, f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}") from error
    except ValueError as error:
        raise Unreadable(1, f"not valid JSON: {error}") from error
    except RecursionError as error:
        raise Unreadable(1, "nested too deeply") from error
    return _json_node(_json_tokens(text))


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number that JSON knows")


def _json_tokens(text: str) -> Iterator[tuple[int, str]]:
    line = 1
    for found in _TOKEN.finditer(text):
        token = found.group()
        if token == "\n":
            line += 1
        else:
            yield line, token


def _json_node(tokens: Iterator[tuple[int, str]]) -> Node:
    """Builds the tree of a text that is known to be JSON, where commas and colons carry no news."""
    root: list[Node] = []
    open_values: list[list[Node] | Pairs] = [root]
    key: tuple[str, int] | None = None
    for line, token in tokens:
        around = open_values[-1]
        if token in "}]":
            open_values.pop()
        elif isinstance(around, Pairs) and key is None:
            key = json.loads(token), line
        else:
            value = {"{": Pairs, "[": list}[token]() if token in "{[" else json.loads(token)
            node = Node(line, value)
            if isinstance(around, Pairs) and key:
                around.append((*key, node))
            elif not isinstance(around, Pairs):
                around.append(node)
            key = None
            if token in "{[":
                open_values.append(value)
    return root[0]


# ── words ────────────────────────────────────────────────────────────────────


def name_of(place: Place) -> str:
    """As people write it: tasks[2].depends_on."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")


def kind_of(value: object) -> str:
    """What sort of thing a value is, in words."""
    kinds: dict[type, str] = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
        type(None): "nothing",
    }
    return kinds.get(type(value), "a date or time")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word; empty if nothing is near."""
    import difflib

    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), folded, n=1)
    return f"; did you mean '{folded[near[0]]}'?" if near else ""
