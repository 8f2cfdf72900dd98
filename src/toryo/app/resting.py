"""Waiting for a session that goes on in the background until it rests."""

import subprocess
import time
from collections.abc import Callable

from toryo.app.background import log_file, queue, start_conductor
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.events import Event
from toryo.domain.session import Session
from toryo.rules.evolve import evolve
from toryo.rules.resting import rests

Watch = Callable[[Session, list[Event]], None]

_LOOK_EVERY = 0.05
_LOOK_FOR_CONDUCTOR_EVERY = 0.5
"""Seldom: a look at the lease keeps others from taking it for that moment."""
_UNATTENDED_AFTER = 3.0
"""Seconds without a conductor. Between two sessions there is none for a moment, and it takes one to start."""
_MOST_STARTS = 3
_LETTING_GO = 5.0


def wait_to_rest(project: Project, session: Session, process: "subprocess.Popen[bytes]", watch: Watch) -> Session:
    """The session at rest, and nobody busy with it any more; raises ToryoError where nobody goes on with it."""
    attendance = _Attendance(project, process)
    while True:
        mark = project.journal.change_mark()
        session = _caught_up(project, session, watch)
        if rests(session):
            _let_go(project)
            return session
        while project.journal.change_mark() == mark:
            attendance.look(session)
            pause(_LOOK_EVERY)


def _caught_up(project: Project, session: Session, watch: Watch) -> Session:
    events = [event for _, event in project.journal.read(session.id, session.seq)]
    for event in events:
        session = evolve(session, event)
    if events:
        watch(session, events)
    return session


class _Attendance:
    """Whether somebody sees to it that the session goes on; where it only waits for its turn, we do."""

    def __init__(self, project: Project, process: "subprocess.Popen[bytes]") -> None:
        self._project, self._process = project, process
        self._starts = 1
        self._looked_at = self._seen_at = time.monotonic()

    def look(self, session: Session) -> None:
        """Raises ToryoError where nobody goes on with it, nor could be started to."""
        now = time.monotonic()
        if now - self._looked_at < _LOOK_FOR_CONDUCTOR_EVERY:
            return
        self._looked_at = now
        if self._process.poll() is None or self._project.conductor_pid is not None:
            self._seen_at = now
        if now - self._seen_at < _UNATTENDED_AFTER or self._project.load(session.id).seq != session.seq:
            return
        if session.queued_at is None:
            raise _left_alone(self._project, session)
        if self._starts == _MOST_STARTS:
            raise _not_begun(self._project, session, self._process.returncode)
        self._starts += 1
        self._seen_at = now
        self._process = start_conductor(self._project)


def _let_go(project: Project) -> None:
    """Until whoever conducted is gone, or busy with the next: what comes now may want to have its turn at once."""
    give_up = time.monotonic() + _LETTING_GO
    while project.conductor_pid is not None and not queue(project) and time.monotonic() < give_up:
        pause(_LOOK_EVERY)


def _left_alone(project: Project, session: Session) -> ToryoError:
    return ToryoError(
        "E155",
        f"whoever conducted session {session.short} in the background is gone",
        kept="everything recorded so far; agents still at work go on by themselves",
        hint=f"'toryo resume {session.short}' goes on; {log_file(project)} may say why",
        exit_code=Exit.ERROR,
    )


def _not_begun(project: Project, session: Session, code: int) -> ToryoError:
    return ToryoError(
        "E156",
        f"nobody could be started in the background to conduct session {session.short} (exit code {code})",
        kept="the session, which is queued",
        hint=f"{log_file(project)} says why; 'toryo resume {session.short}' tries again",
        exit_code=Exit.MISSING,
    )
