"""What is at work and what waits, as one list for people and as rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain.intent import Intent
from toryo.domain.session import short_of
from toryo.rules.masking import mask
from toryo.views.columns import clipped, columns

Upcoming = Sequence[tuple[Intent, str]]
"""Intents, each with what will be done about it."""


def queue_rows(
    at_work: Sequence[Mapping[str, Any]], waiting: Sequence[Mapping[str, Any]], upcoming: Upcoming
) -> list[dict[str, Any]]:
    """In order; those at work have no place, since theirs cannot be changed."""
    working = [_session_row(row, "at work", None) for row in at_work]
    queued = [_session_row(row, "queued", place) for place, row in enumerate(waiting, 1)]
    intents = [
        {
            "place": place,
            "state": f"to {step}",
            "session": intent.session or None,
            "intent": intent.slug,
            "title": mask(intent.title),
        }
        for place, (intent, step) in enumerate(upcoming, len(waiting) + 1)
    ]
    return [*working, *queued, *intents]


def _session_row(row: Mapping[str, Any], state: str, place: int | None) -> dict[str, Any]:
    return {
        "place": place,
        "state": state,
        "session": row["id"],
        "intent": row["intent"],
        "title": mask(row["title"]),
    }


def queue_lines(rows: Sequence[Mapping[str, Any]], room: int = 0) -> list[str]:
    table = [
        (
            "-" if row["place"] is None else str(row["place"]),
            row["state"],
            short_of(row["session"]) if row["session"] else "-",
            row["intent"] or "-",
            clipped(row["title"], 60),
        )
        for row in rows
    ]
    return columns(table, ("PLACE", "STATE", "SESSION", "INTENT", "TITLE"), room)
