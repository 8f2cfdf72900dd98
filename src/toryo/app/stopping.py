"""Stopping a session's agents, wherever its conductor is, and giving a session up."""

import time
from collections.abc import Callable
from typing import Any

from toryo.app.conducting import conduct
from toryo.app.leasing import conducting, lease_of
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.journal.lease import Lease
from toryo.views.queueing import queue_of

_LOOK_EVERY = 0.05


def current(project: Project) -> Session:
    """What is being worked on; else the latest that is unfinished, those that wait for their turn after all others."""
    rows = project.summaries()
    unfinished = [row for row in rows if row["state"] != SessionState.CLOSED]
    held = conducting(project)
    ranks: tuple[Callable[[dict[str, Any]], bool], ...] = (
        lambda row: held is not None and row["id"] == held.purpose,
        lambda row: row["queued_at"] is None and row["tasks"].get(TaskState.RUNNING, 0) > 0,
        lambda row: row["queued_at"] is None,
        lambda _: True,
    )
    for is_meant in ranks:
        for row in filter(is_meant, unfinished):
            return project.load(row["id"])
    return project.session()


def everything_going_on(project: Project) -> list[Session]:
    """Those that wait for their turn, last one first so that none is taken up meanwhile; then those at work."""
    rows = project.summaries()
    held = conducting(project)
    at_work = [
        row["id"]
        for row in rows
        if row["queued_at"] is None
        and row["state"] != SessionState.CLOSED
        and ((held and row["id"] == held.purpose) or row["tasks"].get(TaskState.RUNNING, 0))
    ]
    return [project.load(session_id) for session_id in (*reversed(queue_of(rows)), *at_work)]


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
