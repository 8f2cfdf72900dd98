"""Work in the background: sessions wait for their turn, and a process that outlives us takes them up."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.place import cannot_write
from toryo.app.leasing import attendant, conducting
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.views.queueing import queue_of

_LONGEST_LOG = 1 << 20
_LOOK_EVERY = 0.02
_START_PATIENCE = 20.0


def enqueue(project: Project, session: Session) -> "tuple[Session, subprocess.Popen[bytes]]":
    """Has the session go on in the background, after those that asked before; with the process that sees to it."""
    session = project.append(session, e.SessionQueued(time.time()))
    return session, start_conductor(project)


def leave(project: Project, session: Session) -> tuple[Session, int]:
    """Has the session go on in the background, once somebody there has it; and after how many others that will be."""
    session = project.append(session, e.SessionQueued(time.time()))
    others = others_before(project, session)
    if attendant(project) is None:  # else they look at the queue once more before they go
        await_start(project, start_conductor(project))
    return session, others


def queue(project: Project) -> list[str]:
    """The ids of the sessions that wait for their turn, next one first."""
    return queue_of(project.summaries())


def others_before(project: Project, session: Session) -> int:
    """How many are to rest before the session's turn comes: what waits before it, and what is being conducted."""
    waiting = queue(project)
    held = conducting(project)
    at_work = held.purpose if held else ""
    if session.id not in waiting or at_work == session.id:
        return 0
    return waiting.index(session.id) + bool(at_work and at_work not in waiting)


def start_conductor(project: Project) -> "subprocess.Popen[bytes]":
    """Starts a process that conducts what is queued, and outlives us; where there is one already, it ends at once."""
    return start_apart(project, log_file, "conduct")


def start_apart(project: Project, log_of: Callable[[Project], Path], *command: str) -> "subprocess.Popen[bytes]":
    """Starts a command of ours that outlives us, and says what it has to say in a log."""
    try:
        log = log_of(project)
        keep_short(log)
        with log.open("ab") as said:
            # -P: what lies in the repository is not ours to import.
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "toryo", *command],
                cwd=project.place.root,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
    except OSError as error:
        if error.filename == sys.executable:
            raise _not_started(project, f"cannot start {sys.executable}: {error.strerror}") from error
        raise cannot_write(project.place.store, error) from error
    threading.Thread(target=process.wait, daemon=True).start()  # whoever lives on has no zombie of it
    return process


def await_start(project: Project, process: "subprocess.Popen[bytes]") -> None:
    """Until somebody attends to the queue; raises ToryoError if that came to nothing."""
    give_up = time.monotonic() + _START_PATIENCE
    while attendant(project) is None and time.monotonic() < give_up:
        code = process.poll()
        if code == Exit.COMPLETE:
            return  # another has it, or it is done already
        if code is not None:
            raise _not_started(project, f"the conductor in the background ended at once (exit code {code})")
        pause(_LOOK_EVERY)


def _not_started(project: Project, says: str) -> ToryoError:
    waiting = len(queue(project))
    return ToryoError(
        "E260",
        says,
        kept=f"{waiting} session{'s' if waiting != 1 else ''} queued" if waiting else "",
        hint=f"{log_file(project)} says why; 'toryo conduct' tries it again where you can see it",
        exit_code=Exit.MISSING,
    )


# ── what it says ─────────────────────────────────────────────────────────────


def log_file(project: Project) -> Path:
    """Where a conductor in the background says what it has to say."""
    return _private(project.place.store / "logs" / "conductor.log")


def watch_log(project: Project) -> Path:
    """Where one that watches in the background does."""
    return _private(project.place.store / "logs" / "watch.log")


def _private(path: Path) -> Path:
    path.touch(mode=0o600)
    return path


def keep_short(log: Path) -> None:
    """What is old goes to a second file, in place of what was older; whoever writes goes on at the end of the first."""
    with suppress(OSError):
        if log.stat().st_size <= _LONGEST_LOG:
            return
        older = log.with_suffix(".log.1")
        descriptor = os.open(older, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as kept:
            kept.write(log.read_bytes()[-_LONGEST_LOG:])
        os.truncate(log, 0)
