"""What waits for a person, told anew whenever that changes, to somebody who is there all the time."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing
from pathlib import Path

from toryo.adapters.git.place import Place
from toryo.adapters.watching import ANY, changes
from toryo.app.project import Project
from toryo.app.waiting import Waiting, what_waits
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session
from toryo.journal.codec import Unreadable
from toryo.journal.sqlite import JournalBroken, JournalTooNew, SqliteJournal
from toryo.rules.evolve import UnknownEvent, evolve

_AT_MOST_EVERY = 0.5


class Heeding:
    """Reads on where it was: a long session is not told from its beginning each time."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._path = place.store / "journal.db"
        self._opened: tuple[int, int] | None = None
        self._sessions: dict[str, Session] = {}

    async def follow(self) -> AsyncGenerator[Waiting, None]:
        """At once, then whenever a session or the file of an intent has changed so that something else waits."""
        intents = self._place.root / ".toryo" / "intents"
        files = [self._path, Path(f"{self._path}-wal"), intents, intents / ANY]
        last: Waiting | None = None
        async with aclosing(changes(files)) as changed:
            async for _ in changed:
                waiting = await asyncio.to_thread(self._look)
                if waiting is not None and waiting != last:
                    last = waiting
                    yield waiting
                await asyncio.sleep(_AT_MOST_EVERY)

    def _look(self) -> Waiting | None:
        try:
            return self._look_closely()
        except (ToryoError, JournalBroken, JournalTooNew, UnknownEvent, Unreadable, sqlite3.Error, OSError):
            return None  # who follows what happens says so

    def _look_closely(self) -> Waiting:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._sessions.clear()
            return what_waits(Project(self._place, None), ())
        if self._opened != (found.st_dev, found.st_ino):
            self._sessions.clear()
            self._opened = found.st_dev, found.st_ino
        with closing(Project(self._place, SqliteJournal(self._path, read_only=True))) as project:
            rows = project.summaries()
            return what_waits(project, rows, load=lambda session_id: self._read_on(project, session_id))

    def _read_on(self, project: Project, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        for _, event in project.journal.read(session_id, session.seq if session else 0):
            session = evolve(session, event)
        if session is None:
            return project.load(session_id)
        self._sessions[session_id] = session
        return session
