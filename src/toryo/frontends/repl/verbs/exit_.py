"""`/exit`: leave, and say what goes on without us."""

from contextlib import suppress
from typing import Any

from toryo.app.background import queue
from toryo.app.leasing import conducting
from toryo.app.project import Project
from toryo.frontends.repl.dialogue import Dialogue, Leave
from toryo.frontends.repl.meaning import here
from toryo.frontends.repl.reading import Typed
from toryo.frontends.speech import show
from toryo.views.rows import is_unfinished


def exit_(dialogue: Dialogue, typed: Typed) -> int:
    with suppress(Exception):  # whatever is wrong here, nobody is kept from leaving
        for line in farewell(here()):
            show(line)
    raise Leave


def farewell(project: Project) -> list[str]:
    """What goes on in the background, and what waits for the person; in the words of the shell, where they will be."""
    rows = {row["id"]: row for row in project.summaries() if is_unfinished(row)}
    queued = queue(project)
    under_way = [one for one, row in rows.items() if _is_under_way(row)]
    held = conducting(project)
    at_work = [one for one in under_way if held and held.purpose in ("", one)]
    alone = [one for one in under_way if one not in at_work]
    if not at_work:
        at_work, queued = queued[:1], queued[1:]  # its turn comes now
    lines = [_goes_on(rows[one]) for one in at_work if one in rows]
    if queued:
        turn = "session waits for its turn" if len(queued) == 1 else "sessions wait for their turn"
        lines.append(f"{len(queued)} {turn}: toryo status shows them")
    lines += [_is_left_alone(rows[one]) for one in alone]
    waits = sum(row["waits_for"] is not None for row in rows.values())
    if waits:
        lines.append(f"{waits} session{' waits' if waits == 1 else 's wait'} for you: toryo inbox")
    return lines


def _is_under_way(row: dict[str, Any]) -> bool:
    return row["state"] != "paused" and not row["waits_for"] and row["queued_at"] is None


def _is_left_alone(row: dict[str, Any]) -> str:
    """Whoever conducted it was killed."""
    short = row["id"].removeprefix("session-")[:8]
    return f"session {short} was cut off, and nobody conducts it: {row['title']} (toryo resume {short} goes on)"


def _goes_on(row: dict[str, Any]) -> str:
    short = row["id"].removeprefix("session-")[:8]
    how = f"toryo logs --follow {short} shows it, toryo stop {short} stops it"
    return f"session {short} goes on in the background: {row['title']} ({how})"
