"""Whether two globs could mean the same file: in doubt they could, but no shared file is ever missed."""

import re
from functools import lru_cache

from toryo.domain.facts import fact
from toryo.rules.scope import set_of, tokens

_SOME = "any character"
_PART = "any but a slash"
Step = tuple[str, int]
"""What the next character has to be, and where that leads."""


@fact
class _Machine:
    """A glob as states: the characters that lead from each to which, and those it may be in without any."""

    steps: tuple[tuple[Step, ...], ...]
    skips: tuple[tuple[int, ...], ...]
    last: int
    """From here on the path may end, or go on below."""


def overlap(one: str, other: str, *, is_path: tuple[bool, bool] = (False, False)) -> bool:
    """Whether some path is covered by both; what `is_path` is no glob but a path, with all below it."""
    return _overlap((one, is_path[0]), (other, is_path[1])) if one != other else True


@lru_cache(maxsize=65_536)
def _overlap(one: tuple[str, bool], other: tuple[str, bool]) -> bool:
    begun, other_begun = _beginning(*one), _beginning(*other)
    if not begun.startswith(other_begun) and not other_begun.startswith(begun):
        return False
    return _meet(_machine(*one), _machine(*other))


def _pieces(glob: str, is_path: bool) -> tuple[str, ...]:
    return (glob.removeprefix("./").rstrip("/"),) if is_path else tokens(glob)


def _beginning(glob: str, is_path: bool) -> str:
    """What every path that it covers begins with."""
    first = _pieces(glob, is_path)[0]
    return first if is_path or not _is_special(first) else ""


def _is_special(token: str) -> bool:
    return token in ("**/", "**", "*", "?") or bool(set_of(token))


@lru_cache(maxsize=4_096)
def _machine(glob: str, is_path: bool) -> _Machine:
    steps: list[list[Step]] = [[]]
    skips: list[list[int]] = [[]]

    def grow() -> int:
        steps.append([])
        skips.append([])
        return len(steps) - 1

    for token in _pieces(glob, is_path):
        here = len(steps) - 1
        if is_path or not _is_special(token):
            for character in token:
                there = grow()
                steps[there - 1].append((character, there))
        elif token == "**/":
            inside, there = grow(), grow()
            steps[here].append((_PART, inside))
            steps[inside] += [(_PART, inside), ("/", here)]
            skips[here].append(there)
        elif token in ("*", "**"):
            steps[here].append((_PART if token == "*" else _SOME, here))
            skips[here].append(grow())
        else:
            steps[here].append((_PART if token == "?" else set_of(token), grow()))
    end = len(steps) - 1
    below = grow()
    steps[end].append(("/", below))
    steps[below].append((_SOME, below))
    return _Machine(tuple(map(tuple, steps)), tuple(map(tuple, skips)), end)


def _meet(one: _Machine, other: _Machine) -> bool:
    """Walks both at once; they meet where both may end."""
    ahead, seen = [(0, 0)], {(0, 0)}
    while ahead:
        here, there = ahead.pop()
        if here >= one.last and there >= other.last:
            return True
        found = [(skip, there) for skip in one.skips[here]] + [(here, skip) for skip in other.skips[there]]
        for wanted, to in one.steps[here]:
            found += [(to, other_to) for also, other_to in other.steps[there] if _may_be_same(wanted, also)]
        for pair in found:
            if pair not in seen:
                seen.add(pair)
                ahead.append(pair)
    return False


def _may_be_same(one: str, other: str) -> bool:
    """Whether one character fits both; of two sets nobody looks closer."""
    if len(one) > 1 and len(other) > 1:
        return True
    if len(one) > 1:
        one, other = other, one
    if len(other) == 1:
        return one == other
    if other == _SOME:
        return True
    return one != "/" if other == _PART else re.fullmatch(other, one, re.DOTALL) is not None
