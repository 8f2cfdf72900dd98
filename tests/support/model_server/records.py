"""What arrived at the server, for tests to ask about."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.model_server.exchange import Question, UserText
from tests.support.model_server.tools import offers_tools

_MADE_BY_AGENTS = ("<system-reminder>", "<environment_context>", "<session_context>")


@dataclass(frozen=True, slots=True)
class Record:
    """One request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    question: Question | None = None

    @property
    def user_texts(self) -> tuple[str, ...]:
        """What the user said, without the reminders and surroundings that agents put beside it."""
        heard = self.question.heard if self.question else ()
        texts = (entry.text for entry in heard if isinstance(entry, UserText))
        return tuple(text for text in texts if not text.startswith(_MADE_BY_AGENTS))


class Records:
    """Every request so far; written by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: list[Record] = []

    def add(self, record: Record) -> None:
        with self._lock:
            self._records.append(record)

    def all(self) -> tuple[Record, ...]:
        with self._lock:
            return tuple(self._records)

    def prompts(self) -> dict[str, int]:
        """Every user text, byte for byte, with the number of times that it was said.

        A conversation is sent again and again: what is said at the same place of the same conversation counts once.
        What agents ask beside the conversation (a title, a summary) is not counted.
        """
        said = {
            (record.question.conversation, record.user_texts[: place + 1])
            for record in self.all()
            if record.question and offers_tools(record.question)
            for place in range(len(record.user_texts))
        }
        counts: dict[str, int] = {}
        for _, texts in said:
            counts[texts[-1]] = counts.get(texts[-1], 0) + 1
        return counts
