"""Waiting that a person can end: one who stops an action stops it where it waits, or where it says something."""

import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

_LOOK_EVERY = 0.2

_stopped: ContextVar[threading.Event | None] = ContextVar("stopped", default=None)


@contextmanager
def stoppable(stopped: threading.Event) -> Iterator[None]:
    """What is done inside, in this thread, ends with KeyboardInterrupt once the event is set."""
    token = _stopped.set(stopped)
    try:
        yield
    finally:
        _stopped.reset(token)


def pause(seconds: float) -> None:
    """As time.sleep; ends at once with KeyboardInterrupt where somebody stopped what is being done."""
    stopped = _stopped.get()
    if stopped is None:
        time.sleep(seconds)
    elif stopped.wait(seconds):
        raise KeyboardInterrupt


def heed() -> None:
    """For long work that never waits: ends it if it was stopped."""
    stopped = _stopped.get()
    if stopped is not None and stopped.is_set():
        raise KeyboardInterrupt


def run(work: Coroutine[Any, Any, T]) -> T:
    """As asyncio.run; where somebody stops what is being done, the work is cancelled first."""
    import asyncio  # takes a moment to load, and whoever only looks at a lease never runs anything

    stopped = _stopped.get()
    if stopped is None:
        return asyncio.run(work)
    try:
        return asyncio.run(_watched(work, stopped))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _watched(work: Coroutine[Any, Any, T], stopped: threading.Event) -> T:
    import asyncio

    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait({task}, timeout=_LOOK_EVERY)
        if stopped.is_set():
            task.cancel()
    return task.result()


def may_hear_signals() -> bool:
    """Whether this thread is the one that signals are told to; an action in another one is stopped in other ways."""
    return threading.current_thread() is threading.main_thread()
