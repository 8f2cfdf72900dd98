"""What the REPL remembers of a repository, kept in step with the journal."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import Any

from toryo.adapters.git.place import Place, cannot_write, ensure_store
from toryo.adapters.replfile import ReplFile
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.plan import Chosen
from toryo.domain.repl import Provider, ReplState
from toryo.domain.session import Session
from toryo.domain.task import ENDED, LIVE
from toryo.journal.codec import Unreadable
from toryo.journal.sqlite import JournalBroken
from toryo.rules.discretion import secrets_in
from toryo.rules.evolve import UnknownEvent, evolve
from toryo.rules.repl_state import KEEP, Keep, Standing, after, remembered, selected, together
from toryo.views.records.times import moment


class ReplMemory:
    """The file is the only memory, so that several REPLs in one repository agree; may be used from any thread."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._file = ReplFile(place.store)
        self._followed: dict[str, tuple[Session, Standing]] = {}
        self._project: Project | None = None
        self._opened = 0
        self._mark: object = None
        self._turn = Lock()

    @classmethod
    def open(cls, project: Project) -> "ReplMemory":
        """Puts right what happened while no REPL was there to see it; raises E105 where the file is not as it was."""
        memory = cls(project.place)
        memory._file.read()
        memory.catch_up()
        return memory

    @property
    def state(self) -> ReplState:
        """As it is in the file now; raises E105."""
        return self._file.read()

    # ── the model ────────────────────────────────────────────────────────────

    @property
    def chosen(self) -> Chosen:
        """The model for sessions that are begun from now on; raises E105."""
        state = self.state
        return Chosen(state.selected_provider or "", state.selected_model or "")

    def select(self, provider: Provider | Keep | None = KEEP, model: str | Keep | None = KEEP) -> ReplState:
        """None: as configured. What is left out stays, but for the model where the provider becomes another."""
        if isinstance(model, str):
            model = _name_of_model(model)
        return self._change(partial(selected, provider=provider, model=model, at=moment(time.time())))

    # ── the tasks ────────────────────────────────────────────────────────────

    def note(self, _: Session) -> None:
        """Something was recorded in a session; whoever asks for the state next learns what went wrong here."""
        with suppress(ToryoError, JournalBroken):
            self.catch_up()

    def catch_up(self) -> None:
        """Remembers what the journal says by now; costs next to nothing where that is what it said before."""
        with self._turn:
            project = self._journal()
            mark = project and (self._opened, project.journal.change_mark())
            if mark == self._mark:
                return
            # Read while nobody else writes the file: what another REPL has seen since cannot be undone.
            self._change(lambda state: remembered(state, self._standing(project), moment(time.time())))
            self._mark = mark

    def _journal(self) -> Project | None:
        """Opened once, and again where it was made anew; None: there is none yet."""
        try:
            found = (self._place.store / "journal.db").stat().st_ino
        except OSError:
            self.close()
            return None
        if self._project is None or self._opened != found or self._project.journal.is_blank:
            self.close()
            self._project, self._opened = open_project(self._place.checkout), found
        return self._project

    def close(self) -> None:
        if self._project is not None:
            self._project.close()
        self._project, self._opened = None, 0
        self._followed.clear()

    def _standing(self, project: Project | None) -> Standing:
        """Of all sessions that matter: those with tasks at work, and the one whose task ended last."""
        found = Standing()
        if project is None:
            return found
        for row in sorted(project.summaries(), key=lambda row: row["updated_at"], reverse=True):
            is_later = row["updated_at"] >= max(found.ended.values(), default=0.0)
            if _has(row, LIVE) or (_has(row, ENDED) and is_later):
                found = together(self._follow(project, row["id"]), found)
        return found

    def _follow(self, project: Project, session_id: str) -> Standing:
        """What is new in its journal is folded, and nothing twice."""
        session, standing = self._followed.get(session_id, (None, Standing()))
        try:
            for _, event in project.journal.read(session_id, session.seq if session else 0):
                before, session = session, evolve(session, event)
                standing = after(standing, before, session)
        except (UnknownEvent, Unreadable):
            return Standing()  # of a newer Toryo; who looks at that session is told
        if session is not None:
            self._followed[session_id] = session, standing
        return standing

    def _change(self, make: Callable[[ReplState], ReplState]) -> ReplState:
        state = self._file.read()
        if make(state) == state:
            return state
        if not self._place.store.is_dir():
            ensure_store(self._place)
        try:
            return self._file.change(make)
        except OSError as error:
            raise cannot_write(self._place.store, error) from error


def _has(row: dict[str, Any], states: frozenset[Any]) -> bool:
    return any(row["tasks"].get(state) for state in states)


def _name_of_model(text: str) -> str:
    name = text.strip()
    if not name:
        raise ToryoError("E160", "a model without a name", hint="/models lists some; any name will do")
    if secrets_in([name]):
        raise ToryoError(
            "E160", "that looks like a secret, not like the name of a model", hint="keys are set with /keys"
        )
    return name
