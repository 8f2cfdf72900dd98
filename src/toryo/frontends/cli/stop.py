"""`toryo stop`: stop a session's agents, wherever its conductor is."""

import click

from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.app.stopping import current, discard, stop
from toryo.domain.errors import ToryoError
from toryo.domain.session import SessionState
from toryo.frontends.cli.talking import here, json_option, say, show, show_json, spoken
from toryo.views.rows import envelope, session_row


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
    session = project.session(session_id) if session_id else current(project)
    if session.state is SessionState.CLOSED:
        raise ToryoError("E206", f"session {session.short} is closed already ({session.outcome})")
    session = stop(project, session)
    if give_up:
        session = discard(project, session)
        say(f"discarded session {session.short}: {session.title}")
    if as_json:
        show_json(envelope("session", {"session": session_row(session)}))
    elif give_up:
        show(spoken(f"session {session.short} is closed; its branches are kept ('toryo clean' removes what is merged)"))
    else:
        show(spoken(f"session {session.short} is stopped; 'toryo resume {session.short}' goes on"))
