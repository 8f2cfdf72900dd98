"""Frozen values: equal if their fields are."""

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def fact(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, made in half the time.

    There are more than a hundred of them, and compiling the same few methods for each is felt at every start; so
    those that do not depend on the class are shared.
    """
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass() works out a signature to put there
    made: Any = dataclass(frozen=True, slots=True, eq=False, repr=False)(cls)
    if "__repr__" not in cls.__dict__:
        made.__repr__ = _repr
    made.__eq__, made.__hash__ = _eq, _hash
    return made  # type: ignore[no-any-return]


def _eq(self: Any, other: Any) -> bool:
    return type(self) is type(other) and all(
        getattr(self, name) == getattr(other, name) for name in self.__match_args__
    )


def _hash(self: Any) -> int:
    return hash((type(self), *(getattr(self, name) for name in self.__match_args__)))


def _repr(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({fields})"
