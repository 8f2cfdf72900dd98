"""Sessions in a table, and one of them as it stands."""

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from toryo.domain.session import Session, short_of
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.views.budget import how_to_raise, used_up_words
from toryo.views.columns import clipped, columns
from toryo.views.landingwords import is_landed_in_part, landing_words
from toryo.views.moments import date_time
from toryo.views.rows import progress_of
from toryo.views.standing import rests_on_requests, standing_words, waits_for
from toryo.views.words import outcome_words, state_words


def session_lines(rows: Sequence[Mapping[str, Any]], room: int = 0, lost: Collection[str] = ()) -> list[str]:
    """A table of sessions; `room` is how many cells a line may have, 0: any number. `lost`: nobody conducts them."""
    table = []
    for row in rows:
        done, every = progress_of(row["tasks"])
        state = row["outcome"] or standing_words(row["state"], row["waits_for"], row["queued_at"])
        state = "nobody conducts" if row["id"] in lost else state
        if row["landed"]:
            state += ", landed" if row["outcome"] == Outcome.COMPLETE else ", landed in part"
        short = short_of(row["id"])
        title = clipped(row["title"], 50)
        table.append((short, state, f"{done}/{every}", date_time(row["opened_at"]), row["branch"], title))
    heads = ("SESSION", "STATE", "DONE", "BEGAN", "BRANCH", "TITLE")
    if 0 < room < _ROOM_FOR_BRANCHES:
        return columns([(*row[:4], row[5]) for row in table], (*heads[:4], heads[5]), room)
    return columns(table, heads, room)


_ROOM_FOR_BRANCHES = 110
"""Narrower screens show titles instead; 'toryo info' has the branch."""


def standing_lines(session: Session, room: int = 0) -> list[str]:
    """A table of the session's tasks as they stand."""
    if not session.tasks:
        return ["no tasks yet"]
    rows = [
        (
            task.plan.key,
            state_words(session, task),
            outcome_words(task),
            task.plan.agent,
            clipped(task.plan.title, 50),
        )
        for task in session.tasks.values()
    ]
    return columns(rows, ("TASK", "STATE", "OUTCOME", "AGENT", "TITLE"), room)


def conductor_words(session: Session, pid: int | None, conducted: str = "") -> str:
    """Who conducts the session; where nobody does, how it stands and how to go on.

    `conducted` is the id of the session that the process is at, as far as it is known.
    """
    if pid is not None and conducted in ("", session.id):
        return f"conducted by process {pid}"
    if pid is not None:
        return f"session {short_of(conducted)} is conducted by process {pid}; {_unattended_words(session, ' --detach')}"
    return _unattended_words(session)


def _unattended_words(session: Session, how: str = "") -> str:
    if session.state == "closed":
        landed = f", {words}" if (words := landing_words(session)) else ""
        return f"session {session.short} is closed: {session.outcome}{landed}"
    if rests_on_requests(session):
        return f"session {session.short} {landing_words(session)}"
    short = session.short
    match waits_for(session):
        case "answers":
            return f"session {short} waits for your answers: toryo answer {short}"
        case "approval":
            return f"session {short} waits for your approval: toryo plan --show {short}, then toryo approve {short}"
        case "person":
            now, next_step = time.time(), f"'toryo resume {short}{how}' tries again"
            if used_up_words(session, now):
                next_step = f"{how_to_raise(session, now)}, then toryo resume {short}"
            landed = f", {landing_words(session)}" if is_landed_in_part(session) else ""
            return f"session {short} waits for you{landed}: {session.pause_reason}; {next_step}"
    if session.queued_at is not None:
        return f"session {short} is queued"
    going = session.count(TaskState.RUNNING)
    alone = f", {going} agent{'s' if going > 1 else ''} may still be at work alone" if going else ""
    return f"nobody is conducting{f' session {short}' if how else ''}{alone}; 'toryo resume {short}{how}' goes on"
