"""`toryo status`: the sessions here, and what is going on now."""

import click

from toryo.app.leasing import attendant, conducted_now, conducting, watcher
from toryo.app.project import open_project
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json, spoken
from toryo.views.collisions import collision_lines
from toryo.views.queueing import queue_of, queue_words, unattended, unattended_words, watcher_words
from toryo.views.rows import envelope, task_row
from toryo.views.sessions import conductor_words, session_lines, standing_lines
from toryo.views.words import noticed_lines

_MOST_NOTICED = 5


@click.command(epilog="Example: toryo status --json")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help="Every session, not only the latest ten.")
@json_option
def command(session_id: str | None, everything: bool, as_json: bool) -> None:
    """Show the sessions here, latest first, and the tasks of the latest (or the given) one."""
    project = open_project(here())
    if project.note:
        say(f"note: {project.note}")
    rows = project.summaries()
    chosen = project.session(session_id) if session_id else project.load(rows[0]["id"]) if rows else None
    held = conducting(project)
    pid, conducted = (held.pid, held.purpose) if held else (None, "")
    waiting = queue_of(rows)
    if as_json:
        tasks = [task_row(chosen, task) for task in chosen.tasks.values()] if chosen else []
        data = {"conductor": pid, "sessions": rows, "session": chosen.id if chosen else None, "tasks": tasks}
        noticed = noticed_lines(chosen) if chosen else []
        queued = {"conducted": conducted or None, "queue": waiting, "attendant": attendant(project)}
        queued["watcher"] = watcher(project)
        show_json(envelope("status", {**data, **queued, "noticed": noticed}))
        return
    if chosen is None:
        if words := watcher_words(watcher(project)):
            show(spoken(words))
        show(spoken("no session here yet; start one: toryo run 'what you want', or toryo run --plan plan.yaml"))
        return
    shown = rows if everything else rows[:10]
    lost = unattended(rows, conducted_now(held))
    for line in session_lines(shown, room(), lost):
        show(line)
    if len(rows) > len(shown):
        show(f"… and {len(rows) - len(shown)} more (--all shows them)")
    show("")
    for line in standing_lines(chosen, room()):
        show(line)
    for line in collision_lines(chosen):
        show(line)
    show("")
    for line in noticed_lines(chosen)[-_MOST_NOTICED:]:
        show(f"note: {line}")
    show(spoken(conductor_words(chosen, pid, conducted)))
    for words in (
        unattended_words([one for one in lost if one != chosen.id]),
        queue_words(waiting, attendant(project)),
        watcher_words(watcher(project)),
    ):
        if words:
            show(spoken(words))
