"""What is at work, what waits for its turn, and what comes after: one list, whose order people may change."""

import time
from collections.abc import Mapping
from typing import Any

from toryo.app.cases import Case, Cases
from toryo.app.intents import intent_files
from toryo.app.leasing import attendant, conducting, watcher
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.rules.naming import matching
from toryo.rules.placing import Where, moved, numbers_for
from toryo.views.queueing import at_work, queue_of


@fact
class Queue:
    """Everything that will be worked on, in order."""

    at_work: tuple[Mapping[str, Any], ...]
    waiting: tuple[Mapping[str, Any], ...]
    """Sessions that wait for their turn."""
    upcoming: tuple[Case, ...]
    """Intents that whoever watches will take up after them."""
    attendant: int | None
    watcher: int | None


def whole_queue(project: Project) -> Queue:
    rows = {row["id"]: row for row in project.summaries()}
    held = conducting(project)
    working = at_work(list(rows.values()), held.purpose if held else "")
    waiting = queue_of(list(rows.values()))
    return Queue(
        tuple(rows[one] for one in working),
        tuple(rows[one] for one in waiting if one not in working),
        tuple(Cases(project).look().upcoming),
        attendant(project),
        watcher(project),
    )


def change_place(project: Project, name: str, where: Where, other: str = "") -> None:
    """Raises ToryoError where one of them does not wait, or they do not wait in the same part of the list."""
    queue = whole_queue(project)
    sessions = [row["id"] for row in queue.waiting]
    slugs = [case.intent.slug for case in queue.upcoming]
    found = _found(name, sessions, slugs)
    beside = _found(other, sessions, slugs) if other else ""
    if beside == found:
        raise ToryoError("E279", f"{name} and {other} are the same", hint="name two")
    if beside and (beside in sessions) != (found in sessions):
        raise ToryoError(
            "E279",
            f"{name} and {other} do not wait in the same place: sessions that wait come before intents",
            hint="--first and --last move it among its own",
        )
    if found in sessions:
        _move_session(project, queue, moved(sessions, found, where, beside), found)
    else:
        _move_intent(project, queue, moved(slugs, found, where, beside), found)


def _found(name: str, sessions: list[str], slugs: list[str]) -> str:
    """By id or slug, or any beginning that no other has."""
    exact = [one for one in slugs if one == name]
    found = exact or [*matching(name, sessions, "session"), *(one for one in slugs if one.startswith(name))]
    if len(found) == 1:
        return found[0]
    if found:
        raise ToryoError("E205", f"'{name}' names {len(found)} that wait", hint="give more of it").with_details(found)
    hint = "'toryo queue' shows what does; what is at work has no place among them"
    raise ToryoError("E278", f"'{name}' does not wait for its turn", hint=hint)


def _move_session(project: Project, queue: Queue, wanted: list[str], name: str) -> None:
    """Their numbers are moments: all of them anew, they stay about where they were."""
    now = {row["id"]: float(row["turn"]) for row in queue.waiting}
    for session_id, turn in numbers_for(wanted, name, now, first=min(now.values()), step=1e-3).items():
        project.append(project.load(session_id), e.TurnChanged(time.time(), turn))


def _move_intent(project: Project, queue: Queue, wanted: list[str], name: str) -> None:
    now = {case.intent.slug: case.intent.order for case in queue.upcoming}
    files = intent_files(project)
    for slug, order in numbers_for(wanted, name, now).items():
        files.change(slug, lambda found, order=order: changed(found, order=order))  # type: ignore[misc]
