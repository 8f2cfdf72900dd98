"""`toryo stop`: stop a session's agents, wherever its conductor is."""

import time

import click

from toryo.app.conducting import conduct
from toryo.app.leasing import lease_of
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.journal.lease import Lease
from toryo.views.rows import envelope, session_row

LOOK_EVERY = 0.05


@click.command(epilog="Example: toryo stop, or toryo stop --discard 7682b3a8")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--discard", "give_up", is_flag=True, help="Also close it for good; branches and commits stay.")
@json_option
def command(session_id: str | None, give_up: bool, as_json: bool) -> None:
    """Stop every agent of a session, whole process trees; a stopped run is not a failed attempt.

    'toryo resume' goes on from there. Works also when the conductor was killed and runs went on without it.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    session = project.session(session_id) if session_id else _current(project)
    if session.state is SessionState.CLOSED:
        raise ToryoError("E206", f"session {session.short} is closed already ({session.outcome})")
    session = _stop(project, session)
    if give_up:
        session = discard(project, session)
    if as_json:
        show_json(envelope("session", {"session": session_row(session)}))
    elif give_up:
        show(f"session {session.short} is closed; its branches are kept ('toryo clean' removes what is merged)")
    else:
        show(f"session {session.short} is stopped; 'toryo resume {session.short}' goes on")


def _current(project: Project) -> Session:
    for row in project.summaries():
        if row["state"] != SessionState.CLOSED:
            return project.load(row["id"])
    return project.session()


def _stop(project: Project, session: Session, lease: Lease | None = None) -> Session:
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
        time.sleep(LOOK_EVERY)


def discard(project: Project, session: Session, lease: Lease | None = None) -> Session:
    """Closes a session for good; nothing of its work is deleted."""
    session = _stop(project, session, lease)
    session = project.append(session, e.SessionClosed(time.time(), Outcome.INCOMPLETE, discarded=True))
    say(f"discarded session {session.short}: {session.title}")
    return session
