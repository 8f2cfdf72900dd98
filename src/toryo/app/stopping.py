"""Stopping a session's agents, wherever its conductor is, and giving a session up."""

import time

from toryo.app.conducting import conduct
from toryo.app.leasing import lease_of
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.journal.lease import Lease

_LOOK_EVERY = 0.05


def current(project: Project) -> Session:
    """The latest that is unfinished; where all are finished, the latest."""
    for row in project.summaries():
        if row["state"] != SessionState.CLOSED:
            return project.load(row["id"])
    return project.session()


def stop(project: Project, session: Session, lease: Lease | None = None) -> Session:
    """Stops what runs: by ourselves if nobody conducts (or we hold the lease), else by whoever does."""
    session = project.append(session, e.SessionPaused(time.time(), "stopped by a person"))
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
