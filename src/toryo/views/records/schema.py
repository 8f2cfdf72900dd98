"""The shapes as JSON Schema, made from the very types that the records have."""

import types
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from toryo.views.records.logshapes import CONTENTS, LogEvent

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    types.NoneType: {"type": "null"},
    Any: {},
}


def schema(answers: Mapping[str, type], *, open_ended: Iterable[type] = ()) -> dict[str, Any]:
    """One schema with a definition for each answer and all that is in it.

    `open_ended` may get more fields in later versions; everything else has exactly the fields it has.
    """
    making = _Making(frozenset(open_ended))
    for name, kind in answers.items():
        making.made[name] = making.of(kind) if not is_typeddict(kind) else making.table(kind)
    return {"$schema": DIALECT, "$defs": dict(sorted(making.made.items()))}


class _Making:
    def __init__(self, open_ended: frozenset[type]) -> None:
        self.made: dict[str, Any] = {}
        self._open_ended = open_ended

    def of(self, kind: Any) -> dict[str, Any]:
        if is_typeddict(kind):
            return self._named(kind)
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            self.made.setdefault(kind.__name__, {"enum": [member.value for member in kind]})
            return {"$ref": f"#/$defs/{kind.__name__}"}
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        return self._composed(kind)

    def _composed(self, kind: Any) -> dict[str, Any]:
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return {**self.of(arguments[0]), **dict(arguments[1:])}
        if origin in (NotRequired, Required):
            return self.of(arguments[0])
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is list:
            return {"type": "array", "items": self.of(arguments[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(argument) for argument in arguments]}
        raise TypeError(f"there is no schema for {kind}")

    def _named(self, kind: Any) -> dict[str, Any]:
        if kind.__name__ not in self.made:
            self.made[kind.__name__] = {}  # stands there already, should it hold itself
            self.made[kind.__name__] = self.table(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def table(self, kind: Any) -> dict[str, Any]:
        hints = get_type_hints(kind, include_extras=True)
        if kind is LogEvent:
            hints["content"] = dict[str, Any]
        found: dict[str, Any] = {
            "type": "object",
            "properties": {name: self.of(hint) for name, hint in hints.items()},
            "required": [name for name in hints if name in kind.__required_keys__],
        }
        if kind not in self._open_ended:
            found["additionalProperties"] = False
        if kind is LogEvent:
            found["oneOf"] = [self._event(name, content) for name, content in CONTENTS.items()]
        return found

    def _event(self, name: str, content: type) -> dict[str, Any]:
        return {"properties": {"event_type": {"const": str(name)}, "content": self.of(content)}}
