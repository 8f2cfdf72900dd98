"""`toryo inbox`: everything that waits for a person."""

import click

from toryo.app.project import open_project
from toryo.domain.errors import Exit
from toryo.domain.session import short_of
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.views.inbox import Item, inbox, item_row
from toryo.views.rows import envelope, is_unfinished
from toryo.views.words import date_time


@click.command(epilog="Example: toryo inbox --json")
@click.argument("session_id", metavar="[ID]", required=False)
@json_option
def command(session_id: str | None, as_json: bool) -> None:
    """Show what waits for you: questions, plans to approve, blocked tasks, usage limits; and how to answer.

    Exits with 2 while something waits, so that scripts can tell.
    """
    project = open_project(here())
    if project.note:
        say(f"note: {project.note}")
    if session_id:
        sessions = [project.session(session_id)]
    else:
        sessions = [project.load(row["id"]) for row in project.summaries() if is_unfinished(row)]
    items = [item for session in sessions for item in inbox(session, str(project.place.root))]
    if as_json:
        show_json(envelope("inbox", {"items": [item_row(item) for item in items]}))
    elif not items:
        show("nothing waits for you")
    for item in [] if as_json else items:
        _show(item)
    waits = any(item.what != "pause" for item in items)
    raise SystemExit(Exit.NOT_COMPLETE if waits else Exit.COMPLETE)


def _show(item: Item) -> None:
    where = f"{item.task} of {short_of(item.session)}" if item.task else short_of(item.session)
    show(f"{item.what}, {where}, since {date_time(item.since)}")
    for line in item.says.splitlines()[:12]:
        show(f"  {line}")
    show(f"  → {item.do}")
    for command in item.commands:
        show(f"      {command}")
