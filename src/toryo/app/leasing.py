"""The right to conduct in a repository: one process has it at a time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from toryo.adapters.git.place import cannot_write
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.journal.lease import Busy, Lease, is_alive

_TAKE_OVER_PATIENCE = 10.0
_NOTICE_PATIENCE = 0.5


class Attention(StrEnum):
    """What another Toryo makes of something that was just recorded."""

    NOBODY = "nobody conducts here"
    TAKEN_UP = "it has gone on with it"
    UNCERTAIN = "somebody conducts here, perhaps another session"


def attention_to(project: Project, session: Session) -> Attention:
    """Whether somebody else goes on with this session; a conductor that is just ending would not."""
    give_up = time.monotonic() + _NOTICE_PATIENCE
    while project.conductor_pid is not None:
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
                    hint="watch it with 'toryo logs --follow', or end it with 'toryo stop'",
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
