"""`toryo tasks`: the tasks of a session by how they stand."""

import time

import click

from toryo.app.project import open_project
from toryo.frontends.cli.talking import here, json_option, room, show, show_json, spoken
from toryo.views.rows import envelope
from toryo.views.taskgroups import group_lines, group_rows


@click.command(epilog="Example: toryo tasks, or toryo tasks 7682b3a8 --json")
@click.argument("session_id", metavar="[SESSION]", required=False)
@json_option
def command(session_id: str | None, as_json: bool) -> None:
    """Show the tasks of a session: failed, active, pending, completed; without an id, of the latest."""
    project = open_project(here())
    told = project.tell(session_id)
    if as_json:
        show_json(envelope("tasks", group_rows(told, time.time())))
    else:
        for line in group_lines(told, time.time(), room(), spoken):
            show(line)
