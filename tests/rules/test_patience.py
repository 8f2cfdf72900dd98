"""Waiting grows, stays bounded, and keeps retries apart."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toryo.rules.patience import ENOUGH, wait_before_retry


def test_doubles_from_half_a_second() -> None:
    assert [wait_before_retry(failures) for failures in range(1, 5)] == [0.5, 1.0, 2.0, 4.0]


def test_before_any_failure_it_is_as_after_the_first() -> None:
    assert wait_before_retry(0) == wait_before_retry(1)


@given(st.integers(0, 1000), st.floats(0, 1))
def test_is_never_nothing_and_never_long(failures: int, spread: float) -> None:
    assert 0.5 <= wait_before_retry(failures, spread) <= 37.5


def test_never_gets_shorter() -> None:
    waits = [wait_before_retry(failures) for failures in range(1, 30)]
    assert all(earlier <= later for earlier, later in pairwise(waits))
    assert waits[-1] == 30.0


@given(st.integers(1, 20), st.floats(0, 1), st.floats(0, 1))
def test_spread_only_ever_adds(failures: int, one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert wait_before_retry(failures) <= wait_before_retry(failures, less) <= wait_before_retry(failures, more)


def test_enough_is_enough_within_a_minute() -> None:
    assert ENOUGH >= 2
    assert sum(wait_before_retry(failures, 1.0) for failures in range(1, ENOUGH + 1)) < 60


def test_any_number_of_failures() -> None:
    assert wait_before_retry(5000) == 30.0
