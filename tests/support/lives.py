"""Whole lives of sessions, with every state on the way: a pool of walks that many properties look at."""

from dataclasses import dataclass, field
from functools import cache

from hypothesis import strategies as st
from tests.support.planning import TESTS, instructed, reviewed_session
from tests.support.sessions import planned
from tests.support.walks import Walk

from toryo.domain import events as e
from toryo.domain.session import Session

TERMS = {"reviews": True, "replans": 2, "judges": True, "parallel": 2}


@dataclass(frozen=True, slots=True, repr=False)
class Life:
    name: str
    first: Session
    moments: list[tuple[e.Event, Session]] = field(default_factory=list)
    """Each event with the session after it."""

    def __repr__(self) -> str:
        return self.name

    @property
    def last(self) -> Session:
        return self.moments[-1][1] if self.moments else self.first

    @property
    def events(self) -> list[e.Event]:
        return [event for event, _ in self.moments]

    def steps(self) -> list[tuple[Session, e.Event, Session]]:
        """Before, what happened, after."""
        before = [self.first, *(session for _, session in self.moments)]
        return [(old, event, new) for old, (event, new) in zip(before, self.moments, strict=False)]


class _Recorded(Walk):
    def __init__(self, life: Life, seed: int, trouble: int) -> None:
        super().__init__(life.first, seed, trouble)
        self._life = life

    def record(self, event: e.Event | None) -> None:
        before = self.session
        super().record(event)
        if event is not None and self.session is not before:
            self._life.moments.append((event, self.session))


@cache
def life(seed: int, trouble: int, has_plan: bool) -> Life:
    """With a plan it is a diamond with checks; without, an instruction that a model plans."""
    name = f"life({seed}, {trouble}, {has_plan})"
    if has_plan:
        tasks = [planned("A", checks=(TESTS,)), planned("B", "A"), planned("C", "A"), planned("D", "B", "C")]
        begun = Life(name, reviewed_session(*tasks, checks=(TESTS,), **TERMS))
    else:
        begun = Life(name, instructed(**TERMS))
    _Recorded(begun, seed, trouble).go(120)
    return begun


LIVES = st.builds(life, st.integers(0, 11), st.sampled_from([5, 20, 50]), st.booleans())
