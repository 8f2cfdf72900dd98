"""Conducting in the background: sessions wait for their turn, and one process takes up one after the other."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toryo.adapters.git.place import cannot_write
from toryo.app.conducting import conduct
from toryo.app.leasing import lease_of
from toryo.app.project import Project
from toryo.app.steering import assented
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.engine.conductor import Watch
from toryo.rules.assenting import goes_on_by_assent

_LOOK_EVERY = 0.25
"""For whoever conducts in the foreground to be done: that takes minutes or hours."""


def enqueue(project: Project, session: Session) -> "tuple[Session, subprocess.Popen[bytes]]":
    """Has the session go on in the background, after those that asked before; with the process that sees to it."""
    session = project.append(session, e.SessionQueued(time.time()))
    return session, start_conductor(project)


def queue(project: Project) -> list[str]:
    """The ids of the sessions that wait for their turn, next one first."""
    waiting = [row for row in project.summaries() if row["queued_at"] is not None]
    return [row["id"] for row in sorted(waiting, key=lambda row: row["queued_at"])]


def start_conductor(project: Project) -> "subprocess.Popen[bytes]":
    """Starts a process that conducts what is queued, and outlives us; where there is one already, it ends at once."""
    try:
        with log_file(project).open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "toryo", "conduct"],
                cwd=project.place.root,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
    except OSError as error:
        raise cannot_write(project.place.store, error) from error


def log_file(project: Project) -> Path:
    """Where a conductor in the background says what it has to say."""
    path = project.place.store / "logs" / "conductor.log"
    path.touch(mode=0o600)
    return path


# ── in the process that conducts ─────────────────────────────────────────────


def conduct_queue(project: Project, watch: Watch) -> bool:
    """Takes up what is queued until nothing is; False: it was interrupted."""
    while queue(project):
        with _turnstile(project) as is_ours:
            if not is_ours:
                return True  # the one who conducts looks again after it has let go of the turnstile
            for session_id in iter(lambda: next(iter(queue(project)), None), None):
                if not _conduct(project, session_id, watch):
                    return False
    return True


def _conduct(project: Project, session_id: str, watch: Watch) -> bool:
    """One session to where it rests; False: whoever conducts was told to stop."""
    interrupts: list[bool] = []
    while True:
        try:
            with lease_of(project) as lease:
                session = conduct(project, project.load(session_id), lease, watch, lambda: interrupts.append(True))
                while not interrupts and goes_on_by_assent(session):
                    session = assented(project, session) or session
                    session = conduct(project, session, lease, watch, lambda: interrupts.append(True))
            return not interrupts
        except ToryoError as error:
            if error.exit_code is Exit.INTERRUPTED:
                return False
            if error.exit_code is not Exit.BUSY:
                _put_down(project, session_id, error)
                return True
            time.sleep(_LOOK_EVERY)


def _put_down(project: Project, session_id: str, error: ToryoError) -> None:
    """What could not even begin waits for a person, who finds out why in the journal."""
    reason = error.message + (f" ({error.hint})" if error.hint else "")
    now = time.time()
    project.append(project.load(session_id), e.SessionTakenUp(now), e.SessionPaused(now, reason, waits_for_person=True))


@contextmanager
def _turnstile(project: Project) -> Iterator[bool]:
    """Whether it is us who conducts in the background here; the kernel knows, also if we are killed."""
    descriptor = os.open(project.place.store / "queue.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)
