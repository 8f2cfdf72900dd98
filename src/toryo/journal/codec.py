"""Events to JSON and back, driven by the dataclasses' own types."""

import json
import types
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from toryo.domain.events import EVENTS, Event
from toryo.journal.upcast import VERSION, upcast


class Unreadable(Exception):
    """A stored event does not mean anything to this version of Toryo."""


class Damaged(Unreadable):
    """What is stored is not what any version wrote."""


def encode(event: Event) -> str:
    """The event's fields as JSON, without empty ones; a default that says something is written, as it may change."""
    return json.dumps(_fields_of(event), separators=(",", ":"))


def decode(kind: str, version: int, body: str) -> Event:
    """The event again; raises Unreadable where its kind or shape is unknown, Damaged where it is no JSON."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"a stored {kind} is damaged: {error}") from error
    try:
        if version != VERSION:
            kind, data = upcast(kind, version, data)
        shape: Any = EVENTS[kind]
        event: Event = _builder(shape)(data)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"cannot read a stored {kind} (version {version}): {error!r}") from error
    return event


def _fields_of(thing: Any) -> dict[str, Any]:
    return {
        name: _plain(value)
        for name, default in _layout(thing.__class__)
        if (value := getattr(thing, name)) or value != default or default is MISSING
    }


@cache
def _layout(kind: type) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in fields(kind))


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return _fields_of(value)
    return value


@cache
def _builder(kind: Any) -> Callable[[Any], Any]:
    """A function that rebuilds a value of this type from plain JSON."""
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass_builder(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        inner = next(option for option in get_args(kind) if option is not types.NoneType)
        build = _builder(inner)
        return lambda value: None if value is None else build(value)
    if origin is tuple:
        return _tuple_builder(get_args(kind))
    return _scalar_builder(kind)


def _dataclass_builder(kind: type) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    parts = [(field.name, _builder(hints[field.name])) for field in fields(kind)]
    names = {name for name, _ in parts}

    def build(data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValueError(f"{data!r} is not a {kind.__name__}")
        if not data.keys() <= names:
            raise ValueError(f"unknown fields {sorted(data.keys() - names)} in {kind.__name__}")
        return kind(**{name: make(data[name]) for name, make in parts if name in data})

    return build


def _tuple_builder(arguments: tuple[Any, ...]) -> Callable[[Any], Any]:
    if len(arguments) == 2 and arguments[1] is ...:
        build = _builder(arguments[0])
        return lambda values: tuple([build(value) for value in _list(values)])
    builds = [_builder(argument) for argument in arguments]
    return lambda values: tuple(build(value) for build, value in zip(builds, _list(values), strict=True))


def _list(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise ValueError(f"{values!r} is not a list")
    return values


def _scalar_builder(kind: Any) -> Callable[[Any], Any]:
    accepted = (int, float) if kind is float else kind

    def build(value: Any) -> Any:
        if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"{value!r} is not {kind.__name__}")
        return value

    return build
