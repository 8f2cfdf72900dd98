"""`toryo undo`: back to before a session's result was landed."""

import asyncio

import click

from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.app.undoing import undo
from toryo.frontends.cli.talking import here, json_option, show, show_json
from toryo.views.rows import envelope, session_row


@click.command(epilog="Example: toryo undo, or toryo undo 7682b3a8")
@click.argument("session_id", metavar="[ID]", required=False)
@json_option
def command(session_id: str | None, as_json: bool) -> None:
    """Go back to before landing, where nothing else has happened since.

    A merge is taken back while it is the last commit of its branch and nobody has it yet; the session's branch is
    there again, and can be landed again. Open pull requests are closed, their branches stay. Else nothing is changed,
    and you are told the command that takes the changes back with a new commit.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    session, words = asyncio.run(undo(project, project.session(session_id)))
    if as_json:
        show_json(envelope("session", {"session": session_row(session)}))
    else:
        show(f"session {session.short}: {words}")
