"""Changing fields of a YAML text that a person wrote: those, and not a character more."""

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from toryo.adapters.yamlwords import block_of, entry, in_line, item

Values = Mapping[str, Any]
"""Fields by name; one that is missing is not written."""
_MARK = "\ufeff"


def with_changes(text: str, old: Values, new: Values) -> str:
    """The text with the fields that differ changed; whoever asks has to look whether it says what it should.

    The text is known to be a mapping. Where it cannot be changed so, as where one value stands in two places, the
    result says something else or cannot be read: aliases are not followed.
    """
    mark = _MARK if text.startswith(_MARK) else ""
    text = text.removeprefix(_MARK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = YAML(typ="safe", pure=True).compose(text)
    edits = _Edits(text)
    edits.mapping(root, old, new)
    return mark + edits.result()


class _Edits:
    """What is to be put where; positions are those in the text as it was."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._splices: list[tuple[int, int, str]] = []

    def result(self) -> str:
        text = self.text
        for start, end, words in reversed(sorted(self._splices, key=lambda splice: splice[:2])):  # noqa: C413
            text = text[:start] + words + text[end:]
        return text

    # ── mappings ─────────────────────────────────────────────────────────────

    def mapping(self, node: MappingNode, old: Values, new: Values) -> None:
        entries = {str(key.value): (key, value) for key, value in node.value}
        added, kept = [], dict(entries)
        for name in dict.fromkeys((*old, *new)):
            if old.get(name) == new.get(name):
                continue
            if name not in entries:
                added.append(name)
            elif name in new:
                self._value(node, *entries[name], old.get(name), new[name])
            elif node.flow_style:
                self._put(*entries[name], "null")
            elif self._remove(*entries[name]):
                del kept[name]
        if values := {name: new[name] for name in added if name in new}:
            self._add(node, list(kept.values()), values)

    def _value(self, around: MappingNode, key: Node, node: Node, old: object, new: object) -> None:
        is_in_line = bool(around.flow_style)
        rows = node if isinstance(node, SequenceNode) and node.value else None
        if rows and isinstance(old, list) and isinstance(new, list) and new and len(new) >= len(old):
            self._rows(rows, old, new)
        elif is_in_line or (rows and rows.flow_style and not new):
            self._put(key, node, self._in_line(new, node))
        elif isinstance(new, list) and new:
            self._block_list(key, node, new)
        elif rows:
            start, end = self._after_colon(key), self._end(node)
            self._splices.append((start, end, f" {in_line(new)}"))
        elif isinstance(new, str) and _is_block(node) and (block := block_of(new, key.start_mark.column + 2)):
            self._put(key, node, self.newline.join(block))
        else:
            self._put(key, node, in_line(new, _quote(node)))

    def _add(self, node: MappingNode, kept: list[tuple[Node, Node]], values: Values) -> None:
        if node.flow_style:
            at = node.end_mark.index - 1
            gap = ", " if node.value and not self.text[:at].rstrip().endswith(",") else ""
            words = self._in_line(values)
            self._splices.append((at, at, gap + words[1:-1]))
            return
        key, last = kept[-1]
        column = key.start_mark.column
        at = max(self._end(last), self._after_colon(key))
        self._insert_after(at, [line for name, value in values.items() for line in entry(name, value, column)])

    def _remove(self, key: Node, node: Node) -> bool:
        """Its lines; False: it stands behind the dash of an item, and stays there with nothing."""
        start = self.text.rfind("\n", 0, key.start_mark.index) + 1
        if self.text[start : key.start_mark.index].strip():
            self._put(key, node, "null")
            return False
        end = self._line_end(max(self._end(node), self._after_colon(key)))
        self._splices.append((start, min(end + len(self.newline), len(self.text)), ""))
        return True

    # ── lists ────────────────────────────────────────────────────────────────

    def _rows(self, node: SequenceNode, old: Sequence[Any], new: Sequence[Any]) -> None:
        for row, before, after in zip(node.value, old, new, strict=False):
            if before == after:
                continue
            if isinstance(row, MappingNode) and isinstance(before, Mapping) and isinstance(after, Mapping):
                self.mapping(row, before, after)
            else:
                self._put(None, row, in_line(after, _quote(row)))
        added = new[len(old) :]
        if node.flow_style:
            at = node.end_mark.index - 1
            self._splices.append((at, at, "".join(f", {self._in_line(one)}" for one in added)))
        elif added:
            lines = [line for one in added for line in item(one, node.start_mark.column)]
            self._insert_after(self._end(node), lines)

    def _block_list(self, key: Node, node: Node, new: Sequence[Any]) -> None:
        """In the place of what was there; a comment behind that stays where it is."""
        column = key.start_mark.column + 2
        lines = [line for one in new for line in item(one, column)]
        start, end = self._after_colon(key), self._end(node)
        end = max(start, end)
        self._splices.append((start, end, ""))
        at = self._line_end(end)
        self._splices.append((at, at, "".join(self.newline + line for line in lines)))

    def _in_line(self, value: object, instead: Node | None = None) -> str:
        """What is JSON stays JSON."""
        if self.text.lstrip().startswith('{"'):
            return json.dumps(value, ensure_ascii=False)
        return in_line(value, _quote(instead) if instead else "")

    # ── places ───────────────────────────────────────────────────────────────

    def _put(self, key: Node | None, node: Node, words: str) -> None:
        if key is not None and _is_nothing(node):
            at = self._after_colon(key)
            self._splices.append((at, at, f" {words}"))
        else:
            self._splices.append((node.start_mark.index, self._end(node), words))

    def _insert_after(self, at: int, lines: list[str]) -> None:
        if at and self.text[at - 1] == "\n":
            self._splices.append((at, at, "".join(line + self.newline for line in lines)))
        else:
            at = self._line_end(at)
            self._splices.append((at, at, "".join(self.newline + line for line in lines)))

    def _after_colon(self, key: Node) -> int:
        return self.text.index(":", key.end_mark.index) + 1

    def _line_end(self, at: int) -> int:
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found - (self.text[found - 1] == "\r")

    def _end(self, node: Node) -> int:
        """Behind the last thing that belongs to it: marks of blocks reach to the next thing, past comments."""
        start, end = int(node.start_mark.index), int(node.end_mark.index)
        if _is_nothing(node):
            return 0  # its mark is anywhere up to the next thing
        if isinstance(node, ScalarNode):
            return self._block_end(start, end) if _is_block(node) else end
        if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
            return end
        if isinstance(node, SequenceNode):
            return self._end(node.value[-1])
        key, value = node.value[-1]
        return max(self._end(value), self._after_colon(key))

    def _block_end(self, start: int, end: int) -> int:
        header = self.text[start : self._line_end(start)]
        if "+" in header.partition("#")[0]:
            return end
        return self._line_end(start + len(self.text[start:end].rstrip()))


def _is_nothing(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.style is None and node.value == ""


def _is_block(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.style in ("|", ">")


def _quote(node: Node) -> str:
    return str(node.style) if isinstance(node, ScalarNode) and node.style in ("'", '"') else ""
