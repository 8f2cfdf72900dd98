"""What somebody is told who comes in."""

from collections.abc import Iterator

from toryo import __version__
from toryo.app.project import Project
from toryo.domain.session import SessionState
from toryo.views.columns import clipped


def greeting(project: Project) -> Iterator[str]:
    """Where they are, and what is unfinished here."""
    yield f"Toryo {__version__} in {project.place.root.name}: say what you want; /help lists the commands"
    if project.note:
        yield f"note: {project.note}"
    unfinished = [row for row in project.summaries() if row["state"] != SessionState.CLOSED]
    waiting = [row for row in unfinished if row["waits_for"] and not row["queued_at"]]
    queued = sum(row["queued_at"] is not None for row in unfinished)
    going = [row for row in unfinished if not row["waits_for"] and not row["queued_at"] and row["state"] != "paused"]
    paused = [row for row in unfinished if row["state"] == "paused" and not row["waits_for"] and not row["queued_at"]]
    is_conducted = project.conductor_pid is not None
    if waiting:
        yield (
            f"{_named(waiting)} waits for you: /inbox" if len(waiting) == 1 else f"{len(waiting)} wait for you: /inbox"
        )
    if going:
        yield f"{_named(going)} " + ("is being worked on" if is_conducted else "was interrupted: /start goes on")
    if queued:
        yield f"{queued} queued" + ("" if is_conducted else ", and nobody works on it: /start")
    if paused:
        yield f"{_named(paused)} is stopped: /start goes on"


def _named(rows: list[dict[str, object]]) -> str:
    row = rows[0]
    more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
    return f"{str(row['id']).removeprefix('session-')[:8]} {clipped(str(row['title']), 40)}{more}"
