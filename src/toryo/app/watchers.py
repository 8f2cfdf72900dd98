"""Whoever watches a repository: one at a time, found and ended by others."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from subprocess import Popen

from toryo.adapters.git.place import cannot_write
from toryo.app.background import start_apart, watch_log
from toryo.app.leasing import attendant, conducting, watch_lock_of, watcher
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.app.stopping import stop
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import SessionState
from toryo.journal.lease import Busy, Lease, is_alive
from toryo.rules.tending import WATCH_ENDED
from toryo.views.queueing import queue_of

LEAVE = signal.SIGUSR1
"""Ends a watcher at once: whoever sends it sees to the sessions."""
_LOOK_EVERY = 0.02
_PATIENCE = 5.0
_START_PATIENCE = 20.0
_END_PATIENCE = 60.0
_OVER = (SessionState.PAUSED, SessionState.CLOSED)


@contextmanager
def watching_alone(project: Project) -> Iterator[None]:
    """Two would not harm each other, but say everything twice."""
    lease = Lease(watch_lock_of(project))
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            lease.acquire()
            break
        except Busy as busy:
            # Whoever only looks at it has it for an instant too, and is not the one who is named in it.
            if (busy.pid is not None and is_alive(busy.pid)) or time.monotonic() > give_up:
                raise _watched_already(busy.pid) from busy
            pause(_LOOK_EVERY)
        except OSError as error:
            raise cannot_write(project.place.store, error) from error
    try:
        yield
    finally:
        lease.release()


def _watched_already(pid: int | None) -> ToryoError:
    return ToryoError(
        "E275",
        f"this repository is watched already (process {pid})" if pid else "this repository is watched already",
        hint="'toryo status' shows what goes on, 'toryo watch --stop' ends it",
        exit_code=Exit.BUSY,
    )


# ── elsewhere ────────────────────────────────────────────────────────────────


def start_watcher(project: Project, *options: str) -> int:
    """In the background; the process, once it watches. Raises ToryoError where that came to nothing."""
    if pid := watcher(project):
        raise _watched_already(pid)
    process: Popen[bytes] = start_apart(project, watch_log, "watch", *options)
    give_up = time.monotonic() + _START_PATIENCE
    while (pid := watcher(project)) is None and time.monotonic() < give_up:
        code = process.poll()
        if code in (Exit.COMPLETE, Exit.NOT_COMPLETE, Exit.ERROR) and "--once" in options:
            return process.pid  # it is through already
        if code is not None:
            raise ToryoError(
                "E276",
                f"who was to watch in the background ended at once (exit code {code})",
                hint=f"{watch_log(project)} says why; 'toryo watch' tries it where you can see it",
                exit_code=Exit.MISSING,
            )
        pause(_LOOK_EVERY)
    return pid or process.pid


def end_watcher(project: Project, by: signal.Signals = signal.SIGTERM) -> int | None:
    """Whoever watches here, ended; None: nobody did. Raises ToryoError where it does not end."""
    pid = watcher(project)
    if pid is None:
        return None
    with suppress(ProcessLookupError):
        os.kill(pid, by)
    give_up = time.monotonic() + (_END_PATIENCE if by is not LEAVE else _PATIENCE)
    while watcher(project) == pid and is_alive(pid):
        if time.monotonic() > give_up and by is LEAVE:
            os.kill(pid, signal.SIGKILL)
            by = signal.SIGKILL
        elif time.monotonic() > give_up + _PATIENCE:
            raise ToryoError(
                "E277",
                f"process {pid} watches still: it waits for agents to stop",
                hint=f"kill -9 {pid} ends it",
                exit_code=Exit.BUSY,
            )
        pause(_LOOK_EVERY)
    return pid


def pause_what_goes_on(project: Project) -> list[str]:
    """Sessions of intents that the background has, or will have: paused so that whoever watches next goes on with them.

    Those that wait come first, so that none is taken up meanwhile.
    """
    rows = project.summaries()
    of_intents = {row["id"] for row in rows if row["intent"]}
    held = conducting(project)
    is_ours = held is not None and held.pid is not None and held.pid == attendant(project)
    at_work = [
        row["id"] for row in rows if held and is_ours and row["id"] == held.purpose and row["state"] not in _OVER
    ]
    wanted = [one for one in (*reversed(queue_of(rows)), *at_work) if one in of_intents]
    for session_id in wanted:
        project.append(project.load(session_id), e.SessionPaused(time.time(), WATCH_ENDED))
    for session_id in wanted:
        stop(project, project.load(session_id), reason=WATCH_ENDED)
    return wanted
