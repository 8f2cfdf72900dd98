"""Intents as they were read last, by what the kernel says about their files: a thousand are there at once."""

import json
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from toryo.adapters.replacing import put
from toryo.domain.intent import Clarification, Feedback, Intent, IntentSource, IntentStatus, Risk

_SHAPE = [1, *Intent.__match_args__, *Clarification.__match_args__, *Feedback.__match_args__]
_FRESH = 2_000_000_000
"""Nanoseconds. Some clocks tick no faster: what was changed so lately may be changed again without showing it."""
_WORTH_IT = 20
"""So many files read anew before it is written again."""

# Members by what stands in the file, since calling an enum takes longer than all else, a thousand times.
_SOURCES = {str(one): one for one in IntentSource}
_RISKS = {str(one): one for one in Risk}
_STATUSES = {str(one): one for one in IntentStatus}

Look = list[int]


class IntentCache:
    """Only ever a way to be faster: whatever is wrong with it, the files are read instead."""

    def __init__(self, store: Path) -> None:
        self._path = store / "intents.json"
        self._known: dict[str, Any] = {}
        self._new: dict[str, Any] = {}
        self._kept: dict[str, Any] = {}
        with suppress(OSError, ValueError, TypeError, KeyError):
            said = json.loads(self._path.read_bytes())
            if said["shape"] == _SHAPE:
                self._known = dict(said["intents"])

    def look(self, entry: "os.DirEntry[str]") -> Look | None:
        """What changes whenever the file does; None: it is no file, or too fresh to tell."""
        found = entry.stat()
        newest = max(found.st_mtime_ns, found.st_ctime_ns)
        if not stat.S_ISREG(found.st_mode) or newest > time.time_ns() - _FRESH:
            return None
        return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]

    def get(self, slug: str, look: Look) -> Intent | None:
        row = self._known.get(slug)
        with suppress(ValueError, TypeError, LookupError):
            if row and row[0] == look:
                self._kept[slug] = row
                return _intent(slug, row[1])
        return None

    def put(self, intent: Intent, look: Look) -> None:
        self._new[intent.slug] = [look, _row(intent)]

    def save(self) -> None:
        """Where there is enough that is new, and a place for it."""
        if len(self._new) < _WORTH_IT or not self._path.parent.is_dir():
            return
        content = json.dumps({"shape": _SHAPE, "intents": self._kept | self._new}, ensure_ascii=False)
        with suppress(OSError, UnicodeEncodeError):
            put(self._path, content.encode())


def _row(intent: Intent) -> list[object]:
    values = [getattr(intent, name) for name in Intent.__match_args__[1:]]
    return [[_plain(one) for one in value] if isinstance(value, tuple) else value for value in values]


def _plain(one: Clarification | Feedback) -> list[object]:
    return [getattr(one, name) for name in one.__match_args__]


def _intent(slug: str, row: list[Any]) -> Intent:
    title, body, type_, source, risk, status, parent, questions, created, order, session, feedback, *rest = row
    return Intent(
        slug,
        title,
        body,
        type_,
        _SOURCES[source],
        _RISKS[risk] if risk else None,
        _STATUSES[status],
        parent,
        tuple(
            Clarification(asked, answer, why, tuple(options), default)
            for asked, answer, why, options, default in questions
        ),
        created,
        order,
        session,
        tuple(Feedback(task, says) for task, says in feedback),
        *rest,
    )
