"""The terminal that we were started at, and its being gone: its window closed, its connection cut."""

import os
import select
import signal
import stat
from collections.abc import Callable
from threading import Thread

HUNG_UP = 128 + signal.SIGHUP
"""The exit code that says so."""


def is_hung_up() -> bool:
    """What is read from it or written to it fails from now on; nobody is there to be told."""
    return any(_told(descriptor, at_most=0) for descriptor in (0, 1, 2) if _may_be_terminal(descriptor))


def when_hung_up(act: Callable[[], object]) -> None:
    """Does it in a thread of its own, as soon as the terminal is gone; waiting for that costs nothing.

    The signal that tells of it may be ignored by whoever started us.
    """
    if _may_be_terminal(0):
        Thread(target=lambda: _told(0, at_most=None) and act(), name="hang-up", daemon=True).start()


def _may_be_terminal(descriptor: int) -> bool:
    """One that is gone says no longer that it is a terminal."""
    try:
        return stat.S_ISCHR(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _told(descriptor: int, *, at_most: int | None) -> bool:
    poll = select.poll()
    poll.register(descriptor, 0)  # a hang-up is told unasked, what is typed is not
    return any(seen & select.POLLHUP for _, seen in poll.poll(at_most))
