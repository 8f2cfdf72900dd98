"""What is said to somebody who leaves."""

from collections.abc import Mapping
from typing import Any

from toryo.app.leasing import conducted_now, conducting
from toryo.app.project import Project
from toryo.domain.session import short_of
from toryo.frontends.repl.meaning import here
from toryo.views.queueing import queue_of, unattended
from toryo.views.rows import is_unfinished


def farewell() -> list[str]:
    """What goes on in the background, and what waits for the person; in the words of the shell, where they will be."""
    try:
        return _farewell(here())
    except Exception:  # noqa: BLE001 - whatever is wrong here, nobody is kept from leaving
        return []


def _farewell(project: Project) -> list[str]:
    rows = {row["id"]: row for row in project.summaries() if is_unfinished(row)}
    conducted, queued = conducted_now(conducting(project)), queue_of(list(rows.values()))
    at_work = [one for one in rows if one == conducted]
    queued = [one for one in queued if one not in at_work]  # whoever took it up has not said so yet
    if not at_work:
        at_work, queued = queued[:1], queued[1:]  # its turn comes now
    lines = [_goes_on(rows[one]) for one in at_work]
    if queued:
        turn = "session waits for its turn" if len(queued) == 1 else "sessions wait for their turn"
        lines.append(f"{len(queued)} {turn}: toryo status shows them")
    lines += [_is_unattended(rows[one]) for one in unattended(list(rows.values()), conducted)]
    if waits := sum(row["waits_for"] is not None for row in rows.values()):
        lines.append(f"{waits} session{' waits' if waits == 1 else 's wait'} for you: toryo inbox")
    return lines


def _is_unattended(row: Mapping[str, Any]) -> str:
    short = short_of(row["id"])
    return f"session {short} goes on no more, nobody conducts it: {row['title']} (toryo resume {short} goes on)"


def _goes_on(row: Mapping[str, Any]) -> str:
    short = short_of(row["id"])
    how = f"toryo logs --follow {short} shows it, toryo stop {short} stops it"
    return f"session {short} goes on in the background: {row['title']} ({how})"
