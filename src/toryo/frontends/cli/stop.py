"""`toryo stop`: stop a session's agents, wherever its conductor is."""

import click

from toryo.app.leasing import attendant
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.stopping import current, discard, everything_going_on, stop
from toryo.app.watchers import LEAVE, end_watcher
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.talking import here, json_option, say, show, show_json, spoken
from toryo.views.queueing import queue_of, queue_words
from toryo.views.rows import envelope, session_row
from toryo.views.summary import summary


@click.command(epilog="Example: toryo stop, or toryo stop --discard 7682b3a8")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--discard", "give_up", is_flag=True, help="Also close it for good; branches and commits stay.")
@click.option("--all", "everything", is_flag=True, help="Whatever is at work or waits for its turn, and who watches.")
@json_option
def command(session_id: str | None, give_up: bool, everything: bool, as_json: bool) -> None:
    """Stop every agent of a session, whole process trees; a stopped run is not a failed attempt.

    Without an id, what is being worked on. One that waits for its turn loses it. 'toryo resume' goes on from there.
    Works also when the conductor was killed and runs went on without it.
    """
    if everything and session_id:
        raise click.UsageError("--all is every session: name none")
    project = open_project(here(), writing=True)
    only_a_person(project)
    if everything:
        _stop_everything(project, give_up=give_up, as_json=as_json)
        return
    session = project.session(session_id) if session_id else current(project)
    if session.state is SessionState.CLOSED:
        raise ToryoError("E206", f"session {session.short} is closed already ({session.outcome})")
    session = _stopped(project, session, give_up=give_up)
    if as_json:
        show_json(envelope("session", {"session": session_row(session)}))
        return
    show(spoken(_says(session)))
    if words := queue_words(queue_of(project.summaries()), attendant(project)):
        say(words)


def _stopped(project: Project, session: Session, *, give_up: bool) -> Session:
    session = stop(project, session)
    if give_up:
        session = discard(project, session)
        say(f"discarded session {session.short}: {session.title}")
    return session


def _says(session: Session) -> str:
    if session.state is SessionState.CLOSED:
        return f"session {session.short} is closed; its branches are kept ('toryo clean' removes what is merged)"
    return f"session {session.short} is stopped; 'toryo resume {session.short}' goes on"


def _stop_everything(project: Project, *, give_up: bool, as_json: bool) -> None:
    watched = end_watcher(project, LEAVE)  # first: else it would begin with the next
    if watched is not None:
        say(f"process {watched} watches no more")
    stopped = [_stopped(project, session, give_up=give_up) for session in everything_going_on(project)]
    if as_json:
        rows = [{key: value for key, value in summary(session).items() if key != "shape"} for session in stopped]
        show_json(envelope("sessions", {"sessions": rows}))
        return
    for session in stopped:
        show(spoken(_says(session)))
    if not stopped:
        show("nothing is at work, and nothing is queued")
