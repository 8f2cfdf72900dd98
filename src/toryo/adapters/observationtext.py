"""A list of entries in YAML, changed as text: what people wrote around them stays as it is."""

import io
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from toryo.adapters.located import Document, Unreadable, locate
from toryo.adapters.located_plain import read_plain_yaml
from toryo.adapters.yamlwriting import items

_NAME = "observations"
_PROCESSED = re.compile(r"^(\s*(?:-\s+)?processed:\s*)(?:false|null|~)?(?=\s|$)", re.IGNORECASE)
_FIRST = re.compile(r"^( *)- ", re.MULTILINE)
_EMPTY = re.compile(r"^\[\s*\][ \t]*$", re.MULTILINE)


class OddForm(Exception):
    """A text that is valid, and yet cannot be added to."""


def listed_in(text: str) -> Document:
    """The entries with their lines; raises Unreadable where the text is no list of mappings."""
    # The quick reader knows mappings only, so the list becomes a field of one; most files it can read.
    if tree := read_plain_yaml(f"{_NAME}:\n{text}"):
        around = locate(tree)
        if isinstance(around.value, dict) and list(around.value) == [_NAME]:
            lines = {place[1:]: line - 1 for place, line in around.lines.items() if place[:1] == (_NAME,)}
            return _checked(Document(around.value[_NAME], lines))
    from toryo.adapters.located_yaml import read_yaml  # takes longer to import than most lists to read

    root = read_yaml(text)
    return _checked(locate(root) if root else Document([]))


def _checked(document: Document) -> Document:
    if document.value is None:
        return Document([], document.lines)
    if not isinstance(document.value, list):
        raise Unreadable(document.line(()), "should be a list")
    return document


def entries_in(document: Document) -> list[Any]:
    assert isinstance(document.value, list)
    return document.value


def with_entry(text: str, document: Document, entry: Mapping[str, Any]) -> str:
    """The text with one more entry at its end."""
    entries = entries_in(document)
    wanted = [*entries, dict(entry)]
    if not entries and _EMPTY.search(text):
        added = _EMPTY.sub(lambda _: _written(entry, "").rstrip("\n"), text, count=1)
    else:
        first = _FIRST.search(text) if entries else None
        gap = "" if not text or text.endswith("\n") else "\n"
        added = text + gap + ("\n" if entries else "") + _written(entry, first[1] if first else "")
    return _proven(text, added, wanted, lambda found: found.append(dict(entry)))


def with_processed(text: str, places: Collection[int]) -> str:
    """The text with these entries marked as processed."""
    document = listed_in(text)
    wanted = [
        {**entry, "processed": True} if place in places else entry for place, entry in enumerate(entries_in(document))
    ]
    lines = text.splitlines(keepends=True)
    for place in sorted(places, reverse=True):
        _mark(lines, document, place)

    def mark(found: Any) -> None:
        for place in places:
            found[place]["processed"] = True

    return _proven(text, "".join(lines), wanted, mark)


def _mark(lines: list[str], document: Document, place: int) -> None:
    own = {at[1]: line for at, line in document.lines.items() if len(at) == 2 and at[0] == place}
    if "processed" in own:
        at = own["processed"] - 1
        lines[at] = _PROCESSED.sub(lambda found: found[1].rstrip() + " true", lines[at], count=1)
        return
    # In front of a field that begins a line of its own: where such a field ends, only a parser could tell.
    before = own.get("created_at") or next((line for name, line in own.items() if line > document.line((place,))), 0)
    if before > document.line((place,)):
        indent = lines[before - 1][: len(lines[before - 1]) - len(lines[before - 1].lstrip(" "))]
        lines.insert(before - 1, f"{indent}processed: true\n")


def _proven(before: str, after: str, wanted: list[Any], change: Callable[[Any], object]) -> str:
    """The text that says what is wanted; where editing it as text does not lead there, it is written by the parser."""
    if _says(after, wanted):
        return after
    after = _rewritten(before, change)
    if not _says(after, wanted):
        raise OddForm("it cannot be added to")
    return after


def _says(text: str, wanted: list[Any]) -> bool:
    try:
        return [_bare(entry) for entry in entries_in(listed_in(text))] == [_bare(entry) for entry in wanted]
    except Unreadable:
        return False


def _bare(entry: Any) -> Any:
    """Nothing said and nothing there are the same."""
    if not isinstance(entry, dict):
        return entry
    return {name: value for name, value in entry.items() if value is not None and value != []}


def _rewritten(text: str, change: Callable[[Any], object]) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    try:
        found = yaml.load(text)
        change(found)
        found.fa.set_block_style()
        stream = io.StringIO()
        yaml.dump(found, stream)
    except (YAMLError, AttributeError, TypeError) as error:
        raise OddForm(str(error)) from error
    first = _FIRST.search(text)
    is_at_margin = first is None or not first[1]
    dumped = stream.getvalue()
    return re.sub("^  ", "", dumped, flags=re.MULTILINE) if is_at_margin else dumped


def _written(entry: Mapping[str, Any], indent: str) -> str:
    said = {name: value for name, value in entry.items() if value is not None and value != []}
    return "".join(f"{indent}{line}\n" for line in items([said]))
