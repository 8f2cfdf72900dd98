"""Whose work a branch is, as the journal knows it: looked up again without reading again what was read before."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from toryo.adapters.git.place import Place
from toryo.app.leasing import conducted_now, conducting
from toryo.app.project import Project
from toryo.domain.branch import OURS, Work
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session, SessionState, short_of
from toryo.domain.task import LIVE, Task
from toryo.domain.verdict import Outcome
from toryo.journal.codec import Unreadable
from toryo.journal.sqlite import JournalBroken, JournalTooNew, SqliteJournal
from toryo.rules.evolve import UnknownEvent, evolve
from toryo.views.standing import standing_words
from toryo.views.words import state_words

_MOST_CLOSED = 40
"""So many finished sessions are read in one look for who made a branch; most have left none."""

_Owned = tuple[tuple[str, Work], ...]


UNREADABLE = (JournalBroken, JournalTooNew, ToryoError, sqlite3.Error, OSError)
"""What may come of reading a journal that others write."""


@contextmanager
def reading(place: Place) -> Iterator[Project]:
    """The project for who only looks on, who sets no damaged journal aside and makes none."""
    path = place.store / "journal.db"
    with closing(Project(place, SqliteJournal(path, read_only=True) if path.exists() else None)) as project:
        yield project


class Works:
    """The sessions of one repository as far as they have branches; keeps those that may go on."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._open: dict[str, Session] = {}
        self._closed: dict[tuple[str, float], _Owned] = {}

    def look(self, names: set[str]) -> Mapping[str, Work]:
        """By branch, of these; nothing where the journal cannot be read, which others say."""
        try:
            with reading(self._place) as project:
                return self._look(project, names)
        except UNREADABLE:
            self._open.clear()
            return {}

    def _look(self, project: Project, names: set[str]) -> Mapping[str, Work]:
        conducted = conducted_now(conducting(project))
        rows = project.summaries()
        found: dict[str, Work] = {}
        # Latest first: a name may come again once its branch is gone, and then it is the latest session's.
        for row in rows:
            if row["state"] != SessionState.CLOSED:
                for name, work in self._of_open(project, row["id"], conducted):
                    found.setdefault(name, work)
            elif row["branch"] in names:
                found.setdefault(row["branch"], _of_row(row))
        unclaimed = {name for name in names if name.startswith(OURS)} - found.keys()
        closed = iter([row for row in rows if row["state"] == SessionState.CLOSED])
        for _, row in zip(range(_MOST_CLOSED), closed, strict=False):
            if not unclaimed:
                break
            for name, work in self._of_closed(project, row):
                found.setdefault(name, work)
                unclaimed.discard(name)
        return {name: work for name, work in found.items() if name in names}

    def _of_open(self, project: Project, stream: str, conducted: str | None) -> Iterator[tuple[str, Work]]:
        session = self._open.get(stream)
        try:
            for _, event in project.journal.read(stream, session.seq if session else 0):
                session = evolve(session, event)
        except (UnknownEvent, Unreadable):
            return  # of a newer Toryo
        if session is not None:
            self._open[stream] = session
            yield from works_of(session, is_conducted=conducted in (None, stream))

    def _of_closed(self, project: Project, row: Mapping[str, Any]) -> _Owned:
        known = (row["id"], row["updated_at"])
        if known not in self._closed:
            self._open.pop(row["id"], None)
            try:
                self._closed[known] = tuple(works_of(project.load(row["id"]), is_conducted=False))
            except ToryoError:
                self._closed[known] = ()
        return self._closed[known]


def works_of(session: Session, *, is_conducted: bool) -> Iterator[tuple[str, Work]]:
    """Every branch of a session."""
    is_finished = session.outcome is Outcome.COMPLETE and session.tip != session.base_commit
    for task in session.tasks.values():
        yield task.plan.branch, _of_task(session, task, is_conducted=is_conducted)
    yield (
        session.branch,
        Work(
            session.short,
            session.title,
            _words(session.state, session.outcome, session.is_landed, session.waits_for_person, session.queued_at),
            session.base_branch,
            is_running=is_conducted and not session.rests,
            is_finished=is_finished,
            is_landed=session.is_landed,
        ),
    )


def _of_task(session: Session, task: Task, *, is_conducted: bool) -> Work:
    is_live = task.state in LIVE
    return Work(
        session.short,
        session.title,
        state_words(session, task) if is_conducted or not is_live else "interrupted",
        session.base_branch,
        task.plan.key,
        task.plan.title,
        task.run.agent if task.run else task.plan.agent,
        is_running=is_live and is_conducted,
        is_landed=session.is_landed,
    )


def _of_row(row: Mapping[str, Any]) -> Work:
    """Of a session's own branch, as the summary tells it."""
    is_landed, outcome = bool(row["landed"]), row["outcome"]
    state = _words(row["state"], outcome, is_landed, row["waits_for_person"], row["queued_at"])
    is_finished = outcome == Outcome.COMPLETE
    return Work(
        short_of(row["id"]), row["title"], state, row["base_branch"], is_finished=is_finished, is_landed=is_landed
    )


def _words(state: str, outcome: str | None, is_landed: bool, waits: bool, queued_at: float | None) -> str:
    if is_landed:
        return "landed"
    if outcome:
        return str(outcome).lower()
    return standing_words(state, "person" if waits else None, queued_at)
