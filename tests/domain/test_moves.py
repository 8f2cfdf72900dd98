"""Every move of every state machine: legal exactly where the design says so."""

from collections.abc import Mapping
from enum import StrEnum

import pytest

from toryo.domain.moves import IllegalMove, move
from toryo.domain.run import RUN_MOVES, RunState
from toryo.domain.session import SESSION_MOVES, SessionState
from toryo.domain.task import TASK_MOVES, TaskState

SESSION = """
planning -> awaiting approval
awaiting approval -> planning, executing
executing -> concluding
concluding -> executing, landing
landing -> executing
planning, awaiting approval, executing, concluding, landing -> paused
paused -> planning, awaiting approval, executing, concluding, landing
planning, awaiting approval, executing, concluding, landing, paused -> closed
closed -> landing
"""
TASK = """
planned -> running, blocked
running -> checking, planned, blocked
checking -> accepted, planned, blocked, skipped
accepted -> integrated, planned, blocked
integrated -> accepted, planned, blocked, cancelled
skipped -> planned
blocked -> planned, replaced, checking
planned, running, checking, accepted, blocked -> cancelled
"""
RUN = """
starting -> working
working -> waiting, unknown
waiting -> working, unknown
unknown -> working, waiting
starting, working, waiting, unknown -> exited, stopped, lost
"""
MACHINES: list[tuple[str, type[StrEnum], Mapping[StrEnum, frozenset[StrEnum]], str]] = [
    ("session", SessionState, SESSION_MOVES, SESSION),
    ("task", TaskState, TASK_MOVES, TASK),
    ("run", RunState, RUN_MOVES, RUN),
]


def legal(text: str) -> set[tuple[str, str]]:
    pairs = set()
    for line in text.strip().splitlines():
        olds, news = line.split(" -> ")
        pairs |= {(old, new) for old in olds.split(", ") for new in news.split(", ")}
    return pairs


PAIRS = [
    pytest.param(noun, table, old, new, (old, new) in legal(text), id=f"{noun}-{old}-{new}".replace(" ", "_"))
    for noun, states, table, text in MACHINES
    for old in states
    for new in states
]


@pytest.mark.covers("G36", "A3")
@pytest.mark.parametrize(("noun", "table", "old", "new", "is_legal"), PAIRS)
def test_move(
    noun: str, table: Mapping[StrEnum, frozenset[StrEnum]], old: StrEnum, new: StrEnum, is_legal: bool
) -> None:
    before = dict(table)
    if is_legal:
        assert move(noun, table, old, new) is new
    else:
        with pytest.raises(IllegalMove, match=f"a {noun} that is {old} cannot become {new}") as caught:
            move(noun, table, old, new)
        assert (caught.value.noun, caught.value.old, caught.value.new) == (noun, old, new)
    assert table == before


@pytest.mark.covers("G36", "A3")
@pytest.mark.parametrize(("noun", "states", "table", "text"), MACHINES)
def test_every_state_has_its_row_and_the_list_names_only_states(
    noun: str, states: type[StrEnum], table: Mapping[StrEnum, frozenset[StrEnum]], text: str
) -> None:
    assert set(table) == set(states)
    assert {name for pair in legal(text) for name in pair} <= {state.value for state in states}
