"""A repository as Toryo sees it: its sessions, found by id, and a way to add to what happened."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toryo.adapters.git.place import Place, cannot_write, ensure_store, find_place
from toryo.app.naming import ambiguous, minding_intents, the_one, unknown
from toryo.domain.errors import Clash, Exit, ToryoError
from toryo.domain.events import Event
from toryo.domain.run import Run
from toryo.domain.session import Session, SessionState, short_of
from toryo.domain.task import Task
from toryo.journal.codec import Unreadable
from toryo.journal.lease import holder
from toryo.journal.salvage import set_aside_and_recover
from toryo.journal.sqlite import JournalBroken, JournalTooNew, SqliteJournal
from toryo.rules.admit import admit
from toryo.rules.discretion import discreet
from toryo.rules.evolve import UnknownEvent, evolve, fold
from toryo.rules.naming import matching
from toryo.views.summary import SHAPE, summary

if TYPE_CHECKING:
    from toryo.views.records.chronicle import Chronicle

_LOG_DIGITS = 3
_HOW_TO_START = "start one: toryo run 'what you want', or toryo run --plan plan.yaml"


class Project:
    """Opened for reading it changes nothing, not even by creating what is missing."""

    def __init__(self, place: Place, journal: SqliteJournal | None, note: str = "") -> None:
        self.place = place
        self._journal = journal
        self.note = note
        """What a person should know about how it was opened, e.g. that a broken journal was set aside."""

    @property
    def journal(self) -> SqliteJournal:
        if self._journal is None:
            raise ToryoError("E201", "there is no session here yet", hint=_HOW_TO_START)
        return self._journal

    @property
    def conductor_pid(self) -> int | None:
        return holder(self.place.store / "conductor.lock")

    # ── sessions ─────────────────────────────────────────────────────────────

    def summaries(self) -> list[dict[str, Any]]:
        """Every session in a few numbers, latest first."""
        if self._journal is None:
            return []
        found = []
        for stream, stored in self._journal.summaries():
            fresh = stored if stored and stored.get("shape") == SHAPE else summary(self.load(stream))
            found.append({key: value for key, value in fresh.items() if key != "shape"})
        return found[::-1]

    def load(self, session_id: str) -> Session:
        with readable(session_id):
            session = fold(event for _, event in self.journal.read(session_id))
        if session is None:
            hint = "the journal was removed or replaced meanwhile; 'toryo status' shows what it holds"
            raise ToryoError("E204", f"session {short_of(session_id)} is not in the journal any more", hint=hint)
        return session

    def tell(self, wanted: str | None = None) -> "Chronicle":
        """A session told from its beginning, for task logs and results."""
        from toryo.views.records.chronicle import chronicle

        session_id = self._session_id(wanted)
        with readable(session_id):
            return chronicle(event for _, event in self.journal.read(session_id))

    def find_told(self, wanted: str | None) -> "tuple[Chronicle, Task | None, Run | None]":
        """What an id names, in its session told from its beginning."""
        if wanted is None:
            return self.tell(), None, None
        session, task, run = self.find(wanted)
        told = self.tell(session.id)
        return told, told.session.tasks[task.number] if task else None, run

    def reserved_names(self) -> set[str]:
        """Branches that unfinished sessions will make, though git does not know them yet."""
        unfinished = [self.load(row["id"]) for row in self.summaries() if row["state"] != SessionState.CLOSED]
        tasks = {task.plan.branch for session in unfinished for task in session.tasks.values()}
        return {session.branch for session in unfinished} | tasks

    def session(self, wanted: str | None = None) -> Session:
        """By id or a unique prefix of it; without one, the latest."""
        return self.load(self._session_id(wanted))

    def _session_id(self, wanted: str | None) -> str:
        with minding_intents(self.place.root, wanted):
            return self._id_of(wanted)

    def _id_of(self, wanted: str | None) -> str:
        streams = self.journal.streams()
        if wanted is not None:
            if not matching(wanted, streams, "session") and streams and _by_key(self.load(streams[-1]), wanted):
                raise ToryoError("E204", f"{wanted} is a task; a session is wanted here", hint=f"toryo info {wanted}")
            return the_one(wanted, streams, "session")
        if not streams:
            raise ToryoError("E201", "there is no session here yet", hint=_HOW_TO_START)
        return streams[-1]

    def find(self, wanted: str | None) -> tuple[Session, Task | None, Run | None]:
        """What an id names: a session, one of its tasks (id or key), or one of their runs."""
        if wanted is None:
            return self.session(), None, None
        with minding_intents(self.place.root, wanted):
            return self._found(wanted)

    def _found(self, wanted: str) -> tuple[Session, Task | None, Run | None]:
        kind = wanted.partition("-")[0]
        streams = self.journal.streams()
        if streams and (found := _by_log_id(self, streams[-1], wanted)):
            return *found, None
        # A short key may also begin some session's id: what a person sees in the latest session comes first.
        if streams and wanted not in streams and (found := _by_key(self.load(streams[-1]), wanted)):
            return *found, None
        # Before sessions: `7682b3a8-1` is a task, even where a session's id happens to begin so.
        if found := self._by_task_id(wanted, streams):
            return *found, None
        if kind not in ("task", "run") and matching(wanted, streams, "session"):
            return self.session(wanted), None, None
        return self._find_inside(wanted, streams)

    def _by_task_id(self, wanted: str, streams: Sequence[str]) -> tuple[Session, Task] | None:
        short, _, number = wanted.lower().removeprefix("task-").partition("-")
        if len(short) != 8 or not number.isdecimal():
            return None
        for stream in matching(short, streams, "session"):
            session = self.load(stream)
            if int(number) in session.tasks:
                return session, session.tasks[int(number)]
        return None

    def _find_inside(self, wanted: str, streams: Sequence[str]) -> tuple[Session, Task | None, Run | None]:
        """A key of the latest session that has it, or a run anywhere; newest sessions first."""
        found: list[tuple[Session, Task, Run | None]] = []
        for stream in reversed(streams):
            session = self.load(stream)
            if by_key := _by_key(session, wanted):
                return *by_key, None
            for task in session.tasks.values():
                if wanted.startswith("task-") and matching(wanted, [task.id], "task"):
                    found.append((session, task, None))
                found += [(session, task, run) for run in task.runs if matching(wanted, [run.id], "run")]
        if len(found) == 1:
            return found[0]
        if found:
            raise ambiguous(wanted, [run.id if run else task.id for _, task, run in found])
        raise unknown(wanted, streams)

    def session_and_task(self, wanted: str) -> tuple[Session, Task]:
        session, task, _ = self.find(wanted)
        if task is None:
            raise ToryoError(
                "E204",
                f"{wanted} is a session, not a task",
                hint=f"toryo info {session.short} lists its tasks",
            )
        return session, task

    # ── adding ───────────────────────────────────────────────────────────────

    def append(self, session: Session, *events: Event) -> Session:
        """Records what a person decided; decides again if somebody else was faster. Inadmissible is left out."""
        events = tuple(map(discreet, events))
        while True:
            evolved, recorded = session, []
            for event in events:
                if admit(evolved, event):
                    evolved = evolve(evolved, event)
                    recorded.append(event)
            if not recorded:
                return session
            try:
                self.write(evolved, session.seq, recorded)
            except Clash:
                session = self.load(session.id)
                continue
            return evolved

    def decide(self, session: Session, *events: Event) -> Session | None:
        """Records all of what a person decided; None, and nothing of it, where it means nothing any more."""
        events = tuple(map(discreet, events))
        while True:
            evolved = session
            for event in events:
                if not admit(evolved, event):
                    return None
                evolved = evolve(evolved, event)
            try:
                self.write(evolved, session.seq, events)
            except Clash:
                session = self.load(session.id)
                continue
            return evolved

    def begin(self, *events: Event) -> Session:
        """Records the first events of a session."""
        events = tuple(map(discreet, events))
        session = fold(events)
        assert session is not None
        self.write(session, 0, events)
        return session

    def write(self, evolved: Session, after: int, events: Sequence[Event]) -> None:
        try:
            self.journal.append(evolved.id, after, events, summary(evolved))
        except OSError as error:
            raise cannot_write(self.place.store, error) from error
        except sqlite3.OperationalError as error:
            raise ToryoError("E114", f"cannot write the journal: {error}", exit_code=Exit.MISSING) from error

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()


@contextmanager
def readable(session_id: str) -> Iterator[None]:
    try:
        yield
    except (UnknownEvent, Unreadable) as error:
        hint = "use the newest version of Toryo here"
        raise ToryoError("E203", f"session {session_id}: {error}", hint=hint, exit_code=Exit.FAULT) from error


def _by_log_id(project: Project, latest: str, wanted: str) -> tuple[Session, Task] | None:
    """`task-003`: the third task of the latest session, as lists of task logs name it."""
    kind, _, number = wanted.lower().partition("-")
    if kind != "task" or not number.isdecimal() or len(number) < _LOG_DIGITS:
        return None
    session = project.load(latest)
    found = session.tasks.get(int(number))
    return (session, found) if found and f"{found.number:03}" == number else None


def _by_key(session: Session, wanted: str) -> tuple[Session, Task] | None:
    for key, number in session.keys.items():
        if key.lower() == wanted.lower():
            return session, session.tasks[number]
    return None


def open_project(where: Path, *, writing: bool = False) -> Project:
    """The repository around a folder; for writing, Toryo's own folder is made."""
    place = find_place(where)
    path = place.store / "journal.db"
    if writing:
        ensure_store(place)
    elif not path.exists():
        return Project(place, None)
    try:
        return Project(place, _open_journal(path, writing))
    except JournalTooNew as error:
        raise ToryoError(
            "E203", str(error), hint="use the newest version of Toryo here", exit_code=Exit.FAULT
        ) from error
    except JournalBroken as error:
        return recover(place, error)


def _open_journal(path: Path, writing: bool) -> SqliteJournal:
    journal = SqliteJournal(path, read_only=not writing)
    journal.check()
    return journal


def recover(place: Place, error: JournalBroken) -> Project:
    """A broken journal is set aside, never deleted; everything readable goes on."""
    path = place.store / "journal.db"
    pid = holder(place.store / "conductor.lock")
    if pid is not None:
        raise ToryoError(
            "E202", f"the journal is broken ({error}) and process {pid} is using it", exit_code=Exit.BUSY
        ) from error
    broken, count = set_aside_and_recover(path)
    note = (
        f"the journal was broken ({error}); it was set aside as {broken.name}, and {count} events were recovered. "
        "All commits and worktrees are untouched."
    )
    return Project(place, SqliteJournal(path), note)
