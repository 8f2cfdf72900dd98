"""The names that somebody may want to type, with a few words about each."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from typing import Any

from toryo.adapters.git.place import Place
from toryo.app.choosing import known_models
from toryo.app.configuration import rows, settings_of
from toryo.app.project import Project
from toryo.app.repofiles import RepoFiles
from toryo.domain.errors import ToryoError
from toryo.domain.repl import Provider
from toryo.domain.session import short_of
from toryo.journal.sqlite import JournalBroken, JournalTooNew, SqliteJournal
from toryo.rules.masking import mask
from toryo.views.columns import clipped
from toryo.views.standing import standing_words
from toryo.views.words import state_words

Names = Sequence[tuple[str, str]]
"""Each with what it is."""

_FRESH_FOR = 1.0
_MOST_SESSIONS = 50
_LONGEST = 40


class Known:
    """Looked up when they are asked for, and again only after a moment: somebody may ask with every key."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._found: dict[str, tuple[float, Names]] = {}
        self.files = RepoFiles(place.root)

    def sessions(self) -> Names:
        """By their short ids, newest first."""
        return self._lately("sessions", self._sessions)

    def tasks(self) -> Names:
        """Of the newest session that has any, and of all that are not finished."""
        return self._lately("tasks", self._tasks)

    def intents(self) -> Names:
        """By the names of their files, none of which is read."""
        folder = self._place.root / ".toryo" / "intents"
        return self._lately("intents", lambda _: [(path.stem, "intent") for path in sorted(folder.glob("*.yaml"))])

    def settings(self) -> Names:
        return self._lately("settings", self._settings)

    def models(self) -> Names:
        """Of all providers that can be selected."""
        return self._lately("models", self._models)

    def _lately(self, what: str, look: Callable[[Project], Names]) -> Names:
        looked_at, names = self._found.get(what, (-_FRESH_FOR, ()))
        if time.monotonic() - looked_at > _FRESH_FOR:
            names = self._look(look)
            self._found[what] = (time.monotonic(), names)
        return names

    def _look(self, look: Callable[[Project], Names]) -> Names:
        """Nothing where nothing can be read: who types is told by the command they send."""
        path = self._place.store / "journal.db"
        with suppress(ToryoError, JournalBroken, JournalTooNew, sqlite3.Error, OSError):
            project = Project(self._place, SqliteJournal(path, read_only=True) if path.exists() else None)
            with closing(project):
                return look(project)
        return ()

    def _sessions(self, project: Project) -> Names:
        return [
            (short_of(row["id"]), f"{_stands(row)}: {_about(row['title'])}")
            for row in project.summaries()[:_MOST_SESSIONS]
        ]

    def _tasks(self, project: Project) -> Names:
        every = project.summaries()
        wanted = [row["id"] for row in every if row["tasks"] and row["state"] != "closed"][:10]
        wanted += [row["id"] for row in every if row["tasks"] and row["id"] not in wanted][:1]
        found: dict[str, str] = {}
        for session in map(project.load, wanted):
            for task in session.tasks.values():
                found.setdefault(task.plan.key, f"{state_words(session, task)}: {_about(task.plan.title)}")
        return list(found.items())

    def _models(self, project: Project) -> Names:
        found = [
            (name, f"{provider}, {says}")
            for provider in Provider
            for name, says in known_models(project, provider).items()
        ]
        return list(dict(found).items())

    def _settings(self, project: Project) -> Names:
        return [(key, clipped(value, _LONGEST)) for key, value, _ in rows(settings_of(project))]


def _stands(row: dict[str, Any]) -> str:
    return str(row["outcome"] or standing_words(row["state"], row["waits_for"], row["queued_at"]))


def _about(title: object) -> str:
    return clipped(mask(str(title)), _LONGEST)
