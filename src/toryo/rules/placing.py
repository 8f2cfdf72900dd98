"""A place among others, as a number: whoever has less comes first."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise


class Where(StrEnum):
    FIRST = "first"
    LAST = "last"
    BEFORE = "before"
    AFTER = "after"


def moved(names: Sequence[str], name: str, where: Where, other: str = "") -> list[str]:
    """The same names in their new order."""
    rest = [one for one in names if one != name]
    match where:
        case Where.FIRST:
            place = 0
        case Where.LAST:
            place = len(rest)
        case Where.BEFORE:
            place = rest.index(other)
        case Where.AFTER:
            place = rest.index(other) + 1
    return [*rest[:place], name, *rest[place:]]


def numbers_for(
    wanted: Sequence[str], name: str, now: Mapping[str, float], *, first: float = 1.0, step: float = 1.0
) -> dict[str, float]:
    """The numbers that have to change for the wanted order: that of the one that moved if that is enough, else all.

    All of them get new ones where two others have the same, between which only their age decides: from `first` on.
    """
    place = wanted.index(name)
    before = now[wanted[place - 1]] if place else None
    after = now[wanted[place + 1]] if place + 1 < len(wanted) else None
    number = _between(before, after)
    others = [now[one] for one in wanted if one != name]
    if number is not None and all(one <= other for one, other in pairwise(others)):
        return {name: number}
    numbers = {one: first + rank * step for rank, one in enumerate(wanted)}
    return {one: number for one, number in numbers.items() if now[one] != number}


def _between(before: float | None, after: float | None) -> float | None:
    """None: there is no number between the two."""
    if before is None:
        return 0.0 if after is None else after - 1.0
    if after is None:
        return before + 1.0
    middle = (before + after) / 2
    return middle if before < middle < after else None
