"""`toryo trace`: every round trip with models and agents."""

import json

import click

from toryo.app.project import open_project
from toryo.app.tracing import trips_of
from toryo.frontends.cli.talking import here, json_option, room, say, show
from toryo.views.trace import about, full_lines, trip_lines, trip_row


@click.command(epilog="Example: toryo trace T003 --full")
@click.argument("wanted", metavar="[ID]", required=False)
@click.option("--full", "is_full", is_flag=True, help="All that was said, not only one line each.")
@json_option
def command(wanted: str | None, is_full: bool, as_json: bool) -> None:
    """Show what was asked of models and agents and what came back, oldest first.

    ID is a session, a task or a run; without it, the latest session. Secrets are masked. With --json, one JSON
    object per line.
    """
    project = open_project(here())
    told, task, run = project.find_told(wanted)
    trips, notes = trips_of(project, told, is_full=is_full)
    shown = about(trips, task, run)
    for note in notes:
        say(f"note: {note}")
    keys = {each.id: each.plan.key for each in told.session.tasks.values()}
    if as_json:
        for trip in shown:
            show(json.dumps(trip_row(trip, is_full=is_full), ensure_ascii=False))
    elif not shown:
        say("nothing was asked of a model or an agent yet")
    else:
        for line in full_lines(shown, keys) if is_full else trip_lines(shown, keys, room()):
            show(line)
