"""YAML 1.2 as located nodes, read by the full parser."""

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from toryo.adapters.located import Node, Pairs, Unreadable

MOST_FROM_ALIASES = 100_000
"""Aliases may repeat this many values in all; a few nested ones could otherwise stand for billions."""

_TAG = "tag:yaml.org,2002:"
_PLAIN = YAML(typ="safe", pure=True)


def read_yaml(text: str) -> Node | None:
    """The tree of a YAML text, None if it holds nothing; Unreadable if it is not YAML."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root = YAML(typ="safe", pure=True).compose(text)
        return None if root is None else _Reading().node(root)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        raise Unreadable(mark.line + 1 if mark else 1, f"not valid YAML: {said}") from error
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise Unreadable(line, "not valid YAML: contains a control character") from error
    except YAMLError as error:
        raise Unreadable(1, f"not valid YAML: {error}") from error
    except RecursionError as error:
        raise Unreadable(1, "nested too deeply") from error


class _Reading:
    """Turns composed nodes into located ones, and keeps watch over aliases while doing so."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.above: set[int] = set()
        self.repeated = 0

    def node(self, node: Any) -> Node:
        line = node.start_mark.line + 1
        if isinstance(node, ScalarNode):
            self._count(node, line)
            return Node(line, _scalar_of(node, line))
        if id(node) in self.above:
            raise Unreadable(line, "an alias stands for a value that contains the alias itself")
        self._count(node, line)
        self.above.add(id(node))
        value = self._sequence(node) if isinstance(node, SequenceNode) else self._mapping(node)
        self.above.discard(id(node))
        return Node(line, value)

    def _count(self, node: Any, line: int) -> None:
        self.repeated += id(node) in self.seen
        self.seen.add(id(node))
        if self.repeated > MOST_FROM_ALIASES:
            raise Unreadable(line, f"aliases repeat more than {MOST_FROM_ALIASES:,} values")

    def _sequence(self, node: Any) -> list[Node]:
        _refuse_tag(node, "seq")
        return [self.node(item) for item in node.value]

    def _mapping(self, node: MappingNode) -> Pairs:
        _refuse_tag(node, "map")
        pairs = Pairs()
        for key, value in node.value:
            line = key.start_mark.line + 1
            tag = str(key.tag)
            if tag == f"{_TAG}merge":
                raise Unreadable(line, "merge keys (<<) are not understood; write the fields out")
            if not isinstance(key, ScalarNode) or not isinstance(name := _scalar_of(key, line), str):
                raise Unreadable(line, "the name of a field should be text; put it in quotes")
            pairs.append((name, line, self.node(value)))
        return pairs


def _refuse_tag(node: Any, expected: str) -> None:
    if str(node.tag) != _TAG + expected:
        raise Unreadable(node.start_mark.line + 1, f"the tag {_short(str(node.tag))} is not allowed here")


def _short(tag: str) -> str:
    return f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag


def _scalar_of(node: Any, line: int) -> object:
    return scalar(str(node.tag), node.value, line)


@lru_cache(maxsize=4096)
def plain_scalar(text: str) -> object:
    """What an unquoted word means: text, a number, true, false or nothing."""
    return scalar(str(_PLAIN.resolver.resolve(ScalarNode, text, (True, False))), text, 1)


def scalar(tag: str, text: str, line: int) -> object:
    """The value a tag makes of a text; dates are not part of YAML 1.2 and stay text."""
    name = tag.removeprefix(_TAG)
    if name in ("str", "timestamp", "value"):
        return text
    if name == "null":
        return None
    makers: dict[str, Callable[[ScalarNode], object]] = {
        "bool": _PLAIN.constructor.construct_yaml_bool,
        "int": _PLAIN.constructor.construct_yaml_int,
        "float": _PLAIN.constructor.construct_yaml_float,
    }
    if name not in makers:
        raise Unreadable(line, f"the tag {_short(tag)} is not allowed here")
    try:
        return makers[name](ScalarNode(tag, text))
    except (ValueError, KeyError, IndexError) as error:
        raise Unreadable(line, f"'{text[:40]}' is not a value of kind {name}") from error
