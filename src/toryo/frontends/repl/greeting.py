"""What somebody is told who comes in."""

from collections.abc import Iterator

from toryo import __version__
from toryo.app.leasing import attendant, conducted_now, conducting
from toryo.app.project import Project
from toryo.domain.session import SessionState, short_of
from toryo.views.columns import clipped
from toryo.views.queueing import queue_of, unattended


def greeting(project: Project) -> Iterator[str]:
    """Where they are, and what is unfinished here."""
    yield f"Toryo {__version__} in {project.place.root.name}: say what you want; /help lists the commands"
    if project.note:
        yield f"note: {project.note}"
    unfinished = [row for row in project.summaries() if row["state"] != SessionState.CLOSED]
    conducted = conducted_now(conducting(project))
    waiting = [row for row in unfinished if row["waits_for"] and not row["queued_at"]]
    going = [row for row in unfinished if row["id"] == conducted]
    alone = [row for row in unfinished if row["id"] in unattended(unfinished, conducted)]
    paused = [row for row in unfinished if row["state"] == SessionState.PAUSED and not row["waits_for"]]
    queued = len(queue_of(unfinished))
    if waiting:
        yield (
            f"{_named(waiting)} waits for you: /inbox" if len(waiting) == 1 else f"{len(waiting)} wait for you: /inbox"
        )
    if going:
        yield f"{_named(going)} is being worked on"
    if alone:
        yield f"{_named(alone)} was interrupted: /start goes on"
    if queued:
        yield f"{queued} queued" + ("" if attendant(project) else ", and nobody works on it: /start")
    if paused:
        yield f"{_named(paused)} is stopped: /start goes on"


def _named(rows: list[dict[str, object]]) -> str:
    row = rows[0]
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"{short_of(str(row['id']))} {clipped(str(row['title']), 40)}{more}"
