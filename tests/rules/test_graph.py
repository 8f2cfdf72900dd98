"""Circles are found wherever they are, and only there."""

import graphlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.rules.graph import find_cycle, separate_cycles

NAMES = st.sampled_from("abcdefgh")
GRAPHS = st.dictionaries(NAMES, st.lists(NAMES, max_size=4))


def has_cycle(edges: dict[str, list[str]]) -> bool:
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError:
        return True
    return False


def test_no_circle() -> None:
    assert find_cycle({"a": ["b", "c"], "b": ["c"], "c": []}) is None


def test_circle_is_closed_and_begins_with_the_name_given_first() -> None:
    edges = {"start": ["T002"], "T001": ["T003"], "T002": ["T001"], "T003": ["T002"]}
    assert find_cycle(edges) == ("T001", "T003", "T002", "T001")


def test_self_loop() -> None:
    assert find_cycle({"a": ["a"]}) == ("a", "a")


def test_names_that_are_not_there_are_no_circle() -> None:
    assert find_cycle({"a": ["ghost"], "b": ["a"]}) is None


def test_two_separate_circles() -> None:
    edges = {"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c", "a"], "e": ["c"]}
    assert separate_cycles(edges) == [("a", "b", "a"), ("c", "d", "c")]


def test_long_chain_and_long_circle() -> None:
    chain = {str(n): [str(n + 1)] for n in range(10_000)}
    assert find_cycle(chain) is None
    circle = find_cycle({**chain, "10000": ["0"]})
    assert circle is not None
    assert len(circle) == 10_002


@pytest.mark.covers("G36")
@given(GRAPHS)
def test_agrees_with_the_standard_library(edges: dict[str, list[str]]) -> None:
    assert (find_cycle(edges) is not None) == has_cycle(edges)


@pytest.mark.covers("G36")
@given(GRAPHS)
def test_every_circle_is_real_and_shares_nothing(edges: dict[str, list[str]]) -> None:
    seen: set[str] = set()
    for circle in separate_cycles(edges):
        assert circle[0] == circle[-1]
        assert all(b in edges[a] for a, b in itertools.pairwise(circle))
        assert seen.isdisjoint(circle)
        assert len(set(circle)) == len(circle) - 1
        seen.update(circle)
