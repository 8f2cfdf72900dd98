"""What happens in a repository's sessions, told to somebody who is there all the time and must not be held up."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from toryo.adapters.git.place import Place
from toryo.adapters.watching import changes
from toryo.app.leasing import conducting
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.events import Event
from toryo.domain.facts import fact
from toryo.domain.session import Session, SessionState
from toryo.journal.codec import Unreadable
from toryo.journal.lease import Held
from toryo.journal.sqlite import JournalBroken, JournalTooNew, SqliteJournal
from toryo.rules.evolve import UnknownEvent, evolve
from toryo.views.queueing import at_hand

_AT_MOST_EVERY = 0.25


@fact
class News:
    """What happened in a session since it was looked at last; how it stood then (None: it is new), and stands now."""

    before: Session | None
    session: Session
    events: tuple[tuple[Session, Event], ...]
    """Each with the session as it stood right after it."""


@fact
class Desk:
    """What is being worked on here: at most one session at a time."""

    session: Session | None = None
    """The one at work; where none is, the latest that is not finished; None also where it cannot be read."""
    queued: int = 0
    is_conducted: bool = False


@fact
class Heard:
    news: tuple[News, ...] = ()
    desk: Desk = Desk()
    trouble: str = ""
    """Why nothing can be seen any more; said once."""


class Follower:
    """Sees every event that is recorded after it began to look; has a connection of its own."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._path = place.store / "journal.db"
        self._project: Project | None = None
        self._opened: tuple[int, int] | None = None
        self._mark: object = None
        self._seen: dict[str, int] | None = None
        self._sessions: dict[str, Session] = {}
        self._is_in_trouble = False
        self._heard = Heard()
        self._turn = threading.Lock()
        """Whoever stops following does not wait for the look that is being taken, and it has the connection."""

    async def follow(self) -> AsyncGenerator[Heard, None]:
        """At once how it stands, then again whenever something happened."""
        files = [self._path, Path(f"{self._path}-wal"), self._place.store / "conductor.lock"]
        last: object = None
        try:
            async with aclosing(changes(files)) as changed:
                async for _ in changed:
                    heard = await asyncio.to_thread(self._look)
                    if heard.news or heard.trouble or _sight(heard.desk) != last:
                        last = _sight(heard.desk)
                        yield heard
                    await asyncio.sleep(_AT_MOST_EVERY)
        finally:
            await asyncio.to_thread(self._end)

    async def catch_up(self) -> Heard:
        """What happened by now, for who does not want to say something else first; nobody is told it again."""
        return await asyncio.to_thread(self._look)

    # ── in a thread ──────────────────────────────────────────────────────────

    def _look(self) -> Heard:
        with self._turn:
            try:
                heard = self._look_closely()
                self._is_in_trouble = False
            except (JournalBroken, JournalTooNew, ToryoError, sqlite3.Error, OSError) as error:
                heard = Heard(trouble="" if self._is_in_trouble else f"the journal cannot be read any more: {error}")
                self._is_in_trouble = True
                self._close()
            return heard

    def _end(self) -> None:
        with self._turn:
            self._close()

    def _look_closely(self) -> Heard:
        project = self._reopened()
        if project is None:
            if self._seen:
                raise OSError("it is gone")
            self._seen = {}
            return Heard()
        held = conducting(project)
        mark = (project.journal.change_mark(), held)
        if mark == self._mark:
            return Heard(desk=self._heard.desk)
        heads = project.journal.heads()
        news = self._news(project.journal, heads)
        self._seen = heads
        if project.journal.is_blank:
            self._close()
            return Heard()
        self._heard = Heard(news, self._desk(project, held))
        self._mark = mark
        return self._heard

    def _reopened(self) -> Project | None:
        """The project as it is on the disk now; None: nothing was ever recorded here."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._close()
            return None
        identity = (found.st_dev, found.st_ino)
        if identity != self._opened:
            self._close()
            # Not with open_project: a journal that is damaged is set aside by who works with it, not by who looks on.
            self._project = Project(self._place, SqliteJournal(self._path, read_only=True))
            self._opened = identity
        return self._project

    def _news(self, journal: SqliteJournal, heads: dict[str, int]) -> tuple[News, ...]:
        if self._seen is None:
            return ()
        grown = [stream for stream, head in heads.items() if head > self._seen.get(stream, 0)]
        return tuple(news for stream in grown if (news := self._grown(journal, stream, heads[stream])))

    def _grown(self, journal: SqliteJournal, stream: str, head: int) -> News | None:
        seen = (self._seen or {}).get(stream, 0)
        session = self._sessions.get(stream)
        if session is None or session.seq > seen:
            session = None
        before, told = session if session and session.seq == seen else None, []
        try:
            for seq, event in journal.read(stream, session.seq if session else 0):
                if seq > head:
                    break  # recorded since: it is told at the next look
                session = evolve(session, event)
                if seq == seen:
                    before = session
                elif seq > seen:
                    told.append((session, event))
        except (UnknownEvent, Unreadable):
            return None  # of a newer Toryo; the others' news are told all the same
        if session is None:
            return None
        self._sessions[stream] = session
        if session.state is SessionState.CLOSED:
            del self._sessions[stream]  # it may never be heard of again
        return News(before, session, tuple(told))

    def _desk(self, project: Project, held: Held | None) -> Desk:
        rows = project.summaries()
        queued = sum(row["queued_at"] is not None for row in rows)
        is_conducted = held is not None and held.pid is not None
        stream = at_hand(rows, held.purpose if held else "")
        if stream is None:
            return Desk(None, queued, is_conducted)
        session = self._sessions.get(stream)
        if session is None or (self._seen or {}).get(stream) != session.seq:
            try:
                session = self._sessions[stream] = project.load(stream)
            except ToryoError:
                session = None  # who looks at it is told why
        return Desk(session, queued, is_conducted)

    def _close(self) -> None:
        if self._project is not None:
            self._project.close()
        self._project, self._opened, self._mark = None, None, None
        self._sessions.clear()


def _sight(desk: Desk) -> object:
    """What tells two looks at the desk apart."""
    return desk.session and (desk.session.id, desk.session.seq), desk.queued, desk.is_conducted
