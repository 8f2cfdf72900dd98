"""`toryo status`: the sessions here, and what is going on now."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from toryo.app.project import open_project
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json
from toryo.views.budget import how_to_raise, used_up_words
from toryo.views.collisions import collision_lines
from toryo.views.columns import clipped, columns
from toryo.views.landingwords import is_landed_in_part, landing_words
from toryo.views.rows import envelope, progress_of, task_row
from toryo.views.standing import rests_on_requests, standing_words, waits_for
from toryo.views.words import date_time, noticed_lines, outcome_words, state_words


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
    pid = project.conductor_pid
    if as_json:
        tasks = [task_row(chosen, task) for task in chosen.tasks.values()] if chosen else []
        data = {"conductor": pid, "sessions": rows, "session": chosen.id if chosen else None, "tasks": tasks}
        noticed = noticed_lines(chosen) if chosen else []
        show_json(envelope("status", {**data, "noticed": noticed}))
        return
    if chosen is None:
        show("no session here yet; start one: toryo run 'what you want', or toryo run --plan plan.yaml")
        return
    shown = rows if everything else rows[:10]
    for line in session_lines(shown):
        show(line)
    if len(rows) > len(shown):
        show(f"… and {len(rows) - len(shown)} more (--all shows them)")
    show("")
    for line in _task_lines(chosen):
        show(line)
    for line in collision_lines(chosen):
        show(line)
    show("")
    for line in noticed_lines(chosen)[-_MOST_NOTICED:]:
        show(f"note: {line}")
    show(_conductor_words(chosen, pid))


def session_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    table = []
    for row in rows:
        done, every = progress_of(row["tasks"])
        state = row["outcome"] or standing_words(row["state"], row["waits_for"])
        if row["landed"]:
            state += ", landed" if row["outcome"] == Outcome.COMPLETE else ", landed in part"
        short = row["id"].removeprefix("session-")[:8]
        title = clipped(row["title"], 50)
        table.append((short, state, f"{done}/{every}", date_time(row["opened_at"]), row["branch"], title))
    heads = ("SESSION", "STATE", "DONE", "BEGAN", "BRANCH", "TITLE")
    if 0 < room() < _ROOM_FOR_BRANCHES:
        return columns([(*row[:4], row[5]) for row in table], (*heads[:4], heads[5]), room())
    return columns(table, heads, room())


_MOST_NOTICED = 5
_ROOM_FOR_BRANCHES = 110
"""Narrower screens show titles instead; 'toryo info' has the branch."""


def _task_lines(session: Session) -> list[str]:
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
    return columns(rows, ("TASK", "STATE", "OUTCOME", "AGENT", "TITLE"), room())


def _conductor_words(session: Session, pid: int | None) -> str:
    if pid is not None:
        return f"conducted by process {pid}"
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
            now, next_step = time.time(), f"'toryo resume {short}' tries again"
            if used_up_words(session, now):
                next_step = f"{how_to_raise(session, now)}, then toryo resume {short}"
            landed = f", {landing_words(session)}" if is_landed_in_part(session) else ""
            return f"session {short} waits for you{landed}: {session.pause_reason}; {next_step}"
    going = session.count(TaskState.RUNNING)
    alone = f", {going} agent{'s' if going > 1 else ''} may still be at work alone" if going else ""
    return f"nobody is conducting{alone}; 'toryo resume {session.short}' goes on"
