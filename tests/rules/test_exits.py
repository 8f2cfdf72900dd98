"""One exit code for all that was done."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.errors import Exit
from toryo.rules.exits import worst_exit

ANY = st.lists(st.integers(0, 255))


@pytest.mark.covers("P29")
@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ([], 0),
        ([0, 0], 0),
        ([0, 2, 0], 2),
        ([2, 1, 2], 1),
        ([64, 2], 1),
        ([73], 1),
        ([1, 70, 2], 70),
        ([70, 130, 1], 130),
    ],
)
def test_the_worst_decides(codes: list[int], code: int) -> None:
    assert worst_exit(codes) == code


@pytest.mark.covers("P29")
@given(ANY, ANY)
def test_order_and_grouping_do_not_matter(some: list[int], others: list[int]) -> None:
    whole = worst_exit([*some, *others])
    assert whole == worst_exit([*others, *some]) == worst_exit([worst_exit(some), worst_exit(others)])
    assert (whole is Exit.COMPLETE) == (not any([*some, *others]))
