"""A persistent map from whole numbers to things, kept in order: changing one entry copies one small board."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")
BOARD = 64


class Shelf(Mapping[int, T], Generic[T]):
    """Sessions keep thousands of tasks and change one at a time; old versions stay valid and share the rest."""

    __slots__ = ("_boards", "_size")

    def __init__(self, items: Iterable[tuple[int, T]] = ()) -> None:
        boards: dict[int, dict[int, T]] = {}
        for number, thing in items:
            boards.setdefault(number // BOARD, {})[number] = thing
        self._boards = dict(sorted(boards.items()))
        self._size = sum(map(len, boards.values()))

    def put(self, number: int, thing: T) -> "Shelf[T]":
        """The shelf with this entry added or replaced."""
        place = number // BOARD
        old = self._boards.get(place, {})
        return self._with(place, {**old, number: thing}, self._size + (number not in old))

    def drop(self, number: int) -> "Shelf[T]":
        """The shelf without this entry; the same shelf if it was not there."""
        place = number // BOARD
        old = self._boards.get(place)
        if old is None or number not in old:
            return self
        return self._with(place, {n: thing for n, thing in old.items() if n != number}, self._size - 1)

    def _with(self, place: int, board: dict[int, T], size: int) -> "Shelf[T]":
        boards = self._boards.copy()
        if not board:
            del boards[place]
        elif place in boards or not boards or place > next(reversed(boards)):
            boards[place] = board
        else:
            boards[place] = board
            boards = dict(sorted(boards.items()))
        shelf = object.__new__(Shelf)
        shelf._boards, shelf._size = boards, size
        return shelf

    def differing(self, other: "Shelf[T]") -> Iterator[int]:
        """The numbers whose things are not the very same on both; what both share is not looked at."""
        for place in self._boards.keys() | other._boards.keys():
            mine, theirs = self._boards.get(place, {}), other._boards.get(place, {})
            if mine is not theirs:
                both = mine.keys() & theirs.keys()
                yield from sorted((mine.keys() ^ theirs.keys()) | {n for n in both if mine[n] is not theirs[n]})

    def __getitem__(self, number: int) -> T:
        return self._boards[number // BOARD][number]

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and number in self._boards.get(number // BOARD, ())

    def __iter__(self) -> Iterator[int]:
        for board in self._boards.values():
            yield from sorted(board)

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"Shelf({dict(self.items())!r})"
