"""A shelf behaves like an ordered dict whose old versions never change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.shelf import BOARD, Shelf

# Few numbers, so that they meet; around the edges of boards, and below zero.
NUMBERS = st.sampled_from([-BOARD - 1, -BOARD, -1, 0, 1, 2, BOARD - 1, BOARD, BOARD + 1, 5 * BOARD, 5 * BOARD + 3])
STEPS = st.lists(st.tuples(st.sampled_from(["put", "drop"]), NUMBERS, st.text(max_size=2)), max_size=40)


def same(shelf: Shelf[str], plain: dict[int, str]) -> bool:
    assert list(shelf) == sorted(plain)
    assert list(shelf.items()) == sorted(plain.items())
    assert len(shelf) == len(plain)
    assert bool(shelf) == bool(plain)
    return shelf == plain


@given(STEPS)
def test_does_what_a_dict_does_and_keeps_every_old_version(steps: list[tuple[str, int, str]]) -> None:
    shelf, plain = Shelf[str](), dict[int, str]()
    versions = [(shelf, dict(plain))]
    for what, number, thing in steps:
        if what == "put":
            shelf, plain[number] = shelf.put(number, thing), thing
        else:
            shelf = shelf.drop(number)
            plain.pop(number, None)
        versions.append((shelf, dict(plain)))
    for old, as_it_was in versions:
        assert same(old, as_it_was)


@given(st.lists(st.tuples(NUMBERS, st.text(max_size=2))))
def test_made_at_once_or_piece_by_piece_is_the_same(items: list[tuple[int, str]]) -> None:
    grown = Shelf[str]()
    for number, thing in items:
        grown = grown.put(number, thing)
    assert same(Shelf(items), dict(items))
    assert Shelf(items) == grown


@given(st.dictionaries(NUMBERS, st.text(max_size=2)), NUMBERS)
def test_lookup(plain: dict[int, str], number: int) -> None:
    shelf = Shelf(plain.items())
    assert (number in shelf) == (number in plain)
    assert shelf.get(number, "nothing") == plain.get(number, "nothing")
    assert "1" not in shelf
    if number not in plain:
        with pytest.raises(KeyError):
            shelf[number]


def test_dropping_what_is_not_there_gives_the_same_shelf() -> None:
    shelf = Shelf([(1, "one")])
    assert shelf.drop(2) is shelf
    assert shelf.drop(1000) is shelf


def test_a_change_shares_every_other_board() -> None:
    shelf = Shelf((number, str(number)) for number in range(100 * BOARD))
    changed = shelf.put(3, "three")
    shared = [place for place in shelf._boards if shelf._boards[place] is changed._boards[place]]
    assert len(shared) == 99
    assert shelf[3] == "3"
    assert changed[3] == "three"
