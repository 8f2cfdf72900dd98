"""Ports that are made, and whose code is loaded, when they are first needed: most sessions need none of them."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def later(make: Callable[[], T]) -> T:
    """What will be made, as if it were there."""
    return cast(T, _Later(make))


class _Later:
    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)
