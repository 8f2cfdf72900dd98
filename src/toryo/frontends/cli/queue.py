"""`toryo queue`: what is at work, what waits for its turn, and in which order."""

import click

from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.app.queueing import Queue, change_place, whole_queue
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json, spoken
from toryo.rules.placing import Where
from toryo.views.queuelines import queue_lines, queue_rows
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo queue, toryo queue 7682b3a8 --first, or toryo queue fix-login --before add-json")
@click.argument("name", metavar="[ID]", required=False)
@click.option("--first", is_flag=True, help="Before all others that wait.")
@click.option("--last", is_flag=True, help="After all others that wait.")
@click.option("--before", metavar="ID", help="Before another that waits.")
@click.option("--after", metavar="ID", help="After another that waits.")
@json_option
def command(*, name: str | None, first: bool, last: bool, before: str | None, after: str | None, as_json: bool) -> None:
    """Show what is at work, the sessions that wait for their turn, and the intents that come after them.

    With an ID (of a session, or the name of an intent; a beginning is enough) it gets another place.
    """
    wishes = [
        (where, other)
        for where, is_wanted, other in (
            (Where.FIRST, first, ""),
            (Where.LAST, last, ""),
            (Where.BEFORE, before is not None, before or ""),
            (Where.AFTER, after is not None, after or ""),
        )
        if is_wanted
    ]
    if len(wishes) > 1 or bool(wishes) != bool(name):
        raise click.UsageError("name what is to be moved, and one of --first, --last, --before and --after")
    project = open_project(here(), writing=bool(wishes))
    if project.note:
        say(f"note: {project.note}")
    if name and wishes:
        only_a_person(project)
        change_place(project, name, *wishes[0])
    _show(whole_queue(project), as_json=as_json)


def _show(queue: Queue, *, as_json: bool) -> None:
    upcoming = [(case.intent, case.step.value) for case in queue.upcoming]
    rows = queue_rows(queue.at_work, queue.waiting, upcoming)
    if as_json:
        show_json(envelope("queue", {"queue": rows, "attendant": queue.attendant, "watcher": queue.watcher}))
        return
    if not rows:
        show("nothing is at work, and nothing waits for its turn")
    for line in queue_lines(rows, room()) if rows else ():
        show(line)
    if queue.waiting and queue.attendant is None:
        say(spoken("nobody takes up what is queued: toryo conduct --detach"))
    if queue.upcoming and queue.watcher is None:
        say(spoken("nobody watches: toryo watch takes up the intents"))
