"""Whoever follows a repository's sessions: hears of all that can be read, and lets go in order."""

import asyncio
import sqlite3
import threading
from contextlib import aclosing, closing
from dataclasses import replace

from tests.support.repositories import Repo, until
from tests.support.sessions import AT, SESSION, opening

from toryo.adapters.git.place import Place
from toryo.app.following import Follower, Heard, News
from toryo.app.project import Project, open_project
from toryo.domain import events as e
from toryo.journal.sqlite import SqliteJournal


def _from_the_future(repo: Repo) -> None:
    """One more event of the session that was opened last, of a kind that nobody here knows."""
    with closing(sqlite3.connect(repo.store / "journal.db")) as journal, journal:
        (seq,) = journal.execute("SELECT MAX(seq) FROM events WHERE stream = ?", (SESSION,)).fetchone()
        journal.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", (SESSION, seq + 1, AT, "Foretold", 99, "{}"))
        journal.execute("UPDATE summaries SET seq = ? WHERE stream = ?", (seq + 1, SESSION))


def _another(project: Project) -> str:
    opened, *rest = opening("B")
    assert isinstance(opened, e.SessionOpened)
    return project.begin(replace(opened, session=f"{SESSION[:-1]}f"), *rest).id


async def test_a_session_of_a_newer_toryo_does_not_silence_the_others(repo: Repo) -> None:
    with closing(open_project(repo.path, writing=True)) as project:
        project.begin(*opening("A"))
        async with asyncio.timeout(60), aclosing(Follower(project.place).follow()) as heard:
            await anext(heard)
            _from_the_future(repo)
            other = _another(project)
            while not (told := await anext(heard)).news:
                assert not told.trouble
            assert [news.session.id for news in told.news] == [other]


class _Slow(Follower):
    """Takes its second look only when it is let; knows whether the connection was there until its end."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.began, self.may_go_on = threading.Event(), threading.Event()
        self.ended_well: bool | None = None

    def _look_closely(self) -> Heard:
        heard = super()._look_closely()
        if self.ended_well is None and self._seen and heard.news:
            self.began.set()
            self.may_go_on.wait(60)
            assert self._project is not None
            self.ended_well = bool(self._project.summaries())
        return heard


async def test_who_stops_following_leaves_the_connection_to_the_look_that_is_being_taken(repo: Repo) -> None:
    with closing(open_project(repo.path, writing=True)) as project:
        project.begin(*opening("A"))
        follower, first = _Slow(project.place), asyncio.Event()

        async def follow() -> None:
            async with aclosing(follower.follow()) as heard:
                async for _ in heard:
                    first.set()

        async with asyncio.timeout(60):
            following = asyncio.create_task(follow())
            await first.wait()
            _another(project)
            await asyncio.to_thread(follower.began.wait)
            following.cancel()
            await asyncio.wait([following], timeout=0.2)
            follower.may_go_on.set()
            await asyncio.wait([following])
            await asyncio.to_thread(lambda: until(lambda: follower.ended_well is not None))
        assert follower.ended_well


class _Overtaken(Follower):
    """While it looks, something more is recorded, once."""

    def __init__(self, project: Project) -> None:
        super().__init__(project.place)
        self._others = [lambda: project.append(project.load(SESSION), e.ParallelChanged(AT, 7))]

    def _news(self, journal: SqliteJournal, heads: dict[str, int]) -> tuple[News, ...]:
        if self._seen is not None and self._others:
            self._others.pop()()
        return super()._news(journal, heads)


async def test_what_is_recorded_while_it_looks_is_told_once(repo: Repo) -> None:
    with closing(open_project(repo.path, writing=True)) as project:
        session = project.begin(*opening("A"))
        follower = _Overtaken(project)
        await follower.catch_up()
        project.append(session, e.ParallelChanged(AT, 5))
        told = [await follower.catch_up() for _ in range(3)]
    events = [event for heard in told for news in heard.news for _, event in news.events]
    assert [event.parallel for event in events if isinstance(event, e.ParallelChanged)] == [5, 7]
    follower._end()
