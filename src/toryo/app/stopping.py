"""Stopping a session's agents, wherever its conductor is, and giving a session up."""

import time

from toryo.app.conducting import conduct
from toryo.app.leasing import conducting, lease_of
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.journal.lease import Lease
from toryo.views.queueing import at_hand, at_work, queue_of

_LOOK_EVERY = 0.05
_STOPPED = "stopped by a person"


def current(project: Project) -> Session:
    """What is being worked on; else the latest that is unfinished, those that wait for their turn after all others."""
    chosen = at_hand(project.summaries(), _conducted(project))
    return project.load(chosen) if chosen else project.session()


def everything_going_on(project: Project) -> list[Session]:
    """Those that wait for their turn, last one first so that none is taken up meanwhile; then those at work."""
    rows = project.summaries()
    going_on = (*reversed(queue_of(rows)), *at_work(rows, _conducted(project)))
    return [project.load(session_id) for session_id in dict.fromkeys(going_on)]


def going_on_first(project: Project) -> Session | None:
    """What somebody means who says stop and no more: what is at work, or is next; None: nothing goes on."""
    rows = project.summaries()
    going_on = (*at_work(rows, _conducted(project)), *queue_of(rows))
    return project.load(going_on[0]) if going_on else None


def _conducted(project: Project) -> str:
    held = conducting(project)
    return held.purpose if held else ""


def stop(project: Project, session: Session, lease: Lease | None = None, reason: str = _STOPPED) -> Session:
    """Stops what runs: by ourselves if nobody conducts (or we hold the lease), else by whoever does."""
    session = project.append(session, e.SessionPaused(time.time(), reason))
    if lease is not None:
        return conduct(project, project.load(session.id), lease, lambda *_: None, lambda: None)
    while _still_runs(session):
        try:
            with lease_of(project) as lease:
                return conduct(project, project.load(session.id), lease, lambda *_: None, lambda: None)
        except ToryoError as error:
            if error.exit_code is not Exit.BUSY:
                raise
        _await_change(project)
        session = project.load(session.id)
    return session


def _still_runs(session: Session) -> bool:
    return session.count(TaskState.RUNNING) > 0


def _await_change(project: Project) -> None:
    """Until the conductor has recorded something, or is gone."""
    mark = project.journal.change_mark()
    while project.journal.change_mark() == mark and project.conductor_pid is not None:
        pause(_LOOK_EVERY)


def discard(project: Project, session: Session, lease: Lease | None = None) -> Session:
    """Closes a session for good; nothing of its work is deleted."""
    session = stop(project, session, lease)
    return project.append(session, e.SessionClosed(time.time(), Outcome.INCOMPLETE, discarded=True))
