"""Which histories a reflection looks at: each has its turn, however many come at once."""

import pytest

from toryo.domain.learning import History, HistoryOutcome
from toryo.rules.reflecting import MOST_HISTORIES, Named, histories_to_look_at


def told(count: int) -> list[Named]:
    return [
        (f"h{number:03}", History(f"h{number:03}", "", "A fix", HistoryOutcome.SUCCESS, created_at=float(number)))
        for number in range(count)
    ]


def names(chosen: tuple[Named, ...]) -> list[str]:
    return [name for name, _ in chosen]


@pytest.mark.covers("F14")
def test_every_one_is_looked_at_once_however_many_are_new() -> None:
    every, looked_at = told(3 * MOST_HISTORIES + 5), set[str]()
    new = []
    while chosen := [name for name in names(histories_to_look_at(every, looked_at)) if name not in looked_at]:
        assert len(chosen) <= MOST_HISTORIES
        new += chosen
        looked_at |= {*chosen}
    assert new == [name for name, _ in every], "the oldest first, and none twice"


@pytest.mark.covers("F17")
def test_where_there_is_room_the_latest_of_the_others_are_there_to_be_compared_with() -> None:
    every = told(MOST_HISTORIES + 10)
    looked_at = {name for name, _ in every} - {"h003", "h049"}
    chosen = names(histories_to_look_at(every, looked_at))
    assert len(chosen) == MOST_HISTORIES
    assert chosen == ["h003", *(f"h{number:03}" for number in range(11, 50))]
    assert names(histories_to_look_at(told(3), {"h001"})) == ["h000", "h001", "h002"]
    assert histories_to_look_at((), ()) == ()
