"""`toryo intent show`: one intent in full."""

import click

from toryo.app.intents import find_intent, surroundings
from toryo.app.project import open_project
from toryo.frontends.cli.talking import here, json_option, show, show_json
from toryo.views.intents import intent_lines, surroundings_data
from toryo.views.rows import envelope


@click.command(name="show", epilog="Example: toryo intent show fix-login-validation")
@click.argument("wanted", metavar="INTENT")
@json_option
def command(wanted: str, as_json: bool) -> None:
    """Show an intent, named by its id or any beginning of it: its text, questions, session, parent and children."""
    project = open_project(here())
    around = surroundings(project, find_intent(project, wanted))
    if as_json:
        show_json(envelope("intent", surroundings_data(around)))
        return
    for line in intent_lines(around):
        show(line)
