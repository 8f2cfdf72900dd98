"""`toryo inbox`: everything that waits for a person."""

import click

from toryo.app.leasing import attendant, conducted_now, conducting
from toryo.app.project import open_project
from toryo.domain.errors import Exit
from toryo.frontends.cli.talking import here, json_option, say, show, show_json, spoken
from toryo.views.inbox import inbox, item_lines, item_row
from toryo.views.queueing import queue_of, queue_words, unattended, unattended_words
from toryo.views.rows import envelope, is_unfinished


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
    lost = unattended(project.summaries(), conducted_now(conducting(project)))
    lost = [one for one in lost if not session_id or one == sessions[0].id]
    items = [item for session in sessions for item in inbox(session, str(project.place.root))]
    if as_json:
        show_json(envelope("inbox", {"items": [item_row(item) for item in items]}))
    elif not items:
        show("nothing waits for you")
    for line in [] if as_json else [line for item in items for line in item_lines(item, spoken)]:
        show(line)
    if words := unattended_words(lost):
        say(words)
    attended = attendant(project)
    if attended is None and (words := queue_words(queue_of(project.summaries()), attended)):
        say(words)
    waits = any(item.what != "pause" for item in items)
    raise SystemExit(Exit.NOT_COMPLETE if waits else Exit.COMPLETE)
