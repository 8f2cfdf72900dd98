"""Steps that wait for a person where something of theirs stands in the way."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from toryo.domain import events as e
from toryo.domain.session import Session
from toryo.ports import Held, World

Step = Callable[[World, Session, Any], Awaitable[e.Event]]


def until_a_person_acts(step: Step) -> Step:
    """A step that a person's own affairs stand in the way of waits for them, and is tried again when they say so."""

    @wraps(step)
    async def held(world: World, session: Session, effect: Any) -> e.Event:
        try:
            return await step(world, session, effect)
        except Held as why:
            reason = f"{why}; {why.hint}" if why.hint else str(why)
            return e.SessionPaused(world.clock.now(), reason, waits_for_person=True)

    return held
