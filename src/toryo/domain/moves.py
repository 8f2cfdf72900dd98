"""State machines as tables: a move not in the table raises and changes nothing."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

State = TypeVar("State", bound=StrEnum)


class IllegalMove(Exception):
    """A state was asked to become one it cannot become."""

    def __init__(self, noun: str, old: str, new: str) -> None:
        super().__init__(f"a {noun} that is {old} cannot become {new}")
        self.noun, self.old, self.new = noun, old, new


def move(noun: str, table: Mapping[State, frozenset[State]], old: State, new: State) -> State:
    """The new state, if the table allows it."""
    if new not in table[old]:
        raise IllegalMove(noun, old, new)
    return new
