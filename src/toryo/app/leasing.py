"""The right to conduct in a repository: one process has it at a time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from toryo.adapters.git.place import cannot_write
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.journal.lease import Busy, Held, Lease, holder, is_alive, look

_TAKE_OVER_PATIENCE = 10.0
_NOTICE_PATIENCE = 0.5


class Attention(StrEnum):
    """What another Toryo makes of something that was just recorded."""

    NOBODY = "nobody conducts here"
    TAKEN_UP = "it has gone on with it"
    UNCERTAIN = "somebody conducts here, perhaps another session"
    ELSEWHERE = "somebody conducts another session"


def conducting(project: Project) -> Held | None:
    """Who conducts here, and which session; None: nobody."""
    return look(project.place.store / "conductor.lock")


def conducted_now(held: Held | None) -> str | None:
    """The id of the session that somebody is at; empty: nobody conducts; None: which one is not known."""
    return "" if held is None else held.purpose or None


def turnstile_of(project: Project) -> Path:
    """What the one who conducts in the background holds, also between two sessions. No child inherits it."""
    return project.place.store / "queue.lock"


def attendant(project: Project) -> int | None:
    """The process that takes up what is queued; None: nobody does."""
    return holder(turnstile_of(project))


def watch_lock_of(project: Project) -> Path:
    return project.place.store / "watch.lock"


def watcher(project: Project) -> int | None:
    """The process of `toryo watch` here; None: nobody watches."""
    return holder(watch_lock_of(project))


def attention_to(project: Project, session: Session) -> Attention:
    """Whether somebody else goes on with this session; a conductor that is just ending would not."""
    give_up = time.monotonic() + _NOTICE_PATIENCE
    while held := conducting(project):
        if held.purpose not in ("", session.id):
            return Attention.ELSEWHERE
        if project.load(session.id).seq > session.seq:
            return Attention.TAKEN_UP
        if time.monotonic() > give_up:
            return Attention.UNCERTAIN
        pause(0.02)
    return Attention.NOBODY


@contextmanager
def lease_of(project: Project) -> Iterator[Lease]:
    """The right to conduct here. A dead conductor's last git command may hold it for a moment longer."""
    lease = Lease(project.place.store / "conductor.lock")
    give_up = time.monotonic() + _TAKE_OVER_PATIENCE
    while True:
        try:
            lease.acquire()
            break
        except Busy as busy:
            if busy.pid is not None and is_alive(busy.pid):
                raise ToryoError(
                    "E401",
                    f"another Toryo is conducting this repository (pid {busy.pid})",
                    hint="'toryo logs --follow' watches it, 'toryo stop' ends it, --detach waits for a turn after it",
                    exit_code=Exit.BUSY,
                ) from busy
            if time.monotonic() > give_up:
                raise ToryoError(
                    "E401", "a git command of an earlier Toryo is still at work", exit_code=Exit.BUSY
                ) from busy
            pause(0.02)
        except OSError as error:
            raise cannot_write(project.place.store, error) from error
    try:
        yield lease
    finally:
        lease.release()
