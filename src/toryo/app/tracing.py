"""Every round trip of a session: the calls in its log of calls, and its agents' runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toryo.app.project import Project
from toryo.domain.session import Session
from toryo.views.records.chronicle import Chronicle
from toryo.views.trace import Trip, call_trip, is_call, run_trip, tied, ties_of


def trips_of(project: Project, told: Chronicle, *, is_full: bool) -> tuple[list[Trip], list[str]]:
    """All of them, oldest first, and what a person should know about those that are missing."""
    log = project.place.store / "calls" / f"{told.session.id}.jsonl"
    notes: list[str] = []
    ties = ties_of(told)
    calls = [tied(call_trip(entry), ties) for entry in _entries(log, told.session, notes)]
    runs = [
        run_trip(told.session, task, run, _prompt(project, run.id) if is_full else "")
        for task in told.session.tasks.values()
        for run in task.runs
    ]
    return sorted([*calls, *runs], key=lambda trip: trip.at), notes


def _entries(log: Path, session: Session, notes: list[str]) -> Iterator[dict[str, Any]]:
    """The lines that can be read; a note for each that cannot."""
    name = f"calls/{log.name}"
    try:
        with log.open("rb") as file:
            for number, line in enumerate(file, 1):
                entry = _entry(line)
                if entry is None:
                    cut = " (it was not written to its end)" if not line.endswith(b"\n") else ""
                    notes.append(f"line {number} of {name} cannot be read and is left out{cut}")
                else:
                    yield entry
    except FileNotFoundError:
        if session.calls:
            notes.append(f"the log of calls is missing: {name}; the journal counts {session.calls} calls")
    except OSError as error:
        notes.append(f"the log of calls cannot be read: {name}: {error.strerror}")


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return entry if is_call(entry) else None


def _prompt(project: Project, run_id: str) -> str:
    try:
        return (project.place.store / "runs" / run_id / "prompt.md").read_text("utf-8", errors="replace")
    except OSError:
        return ""
