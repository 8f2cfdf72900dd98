"""The right to conduct in a repository: one process has it at a time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from toryo.adapters.git.place import cannot_write
from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError
from toryo.journal.lease import Busy, Lease, is_alive

_TAKE_OVER_PATIENCE = 10.0


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
            time.sleep(0.02)
        except OSError as error:
            raise cannot_write(project.place.store, error) from error
    try:
        yield lease
    finally:
        lease.release()
