"""Which session or task is meant: the one that is named first, or the one thing that waits."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session
from toryo.frontends.repl.freetext import Options, first_word, take_flags, take_words
from toryo.views.columns import clipped
from toryo.views.decisions import Pending
from toryo.views.rows import is_unfinished

_LIKE_AN_ID = re.compile(
    r"(?:session|task|run)-[\w-]*\d[\w-]*|(?=[0-9-]*[a-f])(?=[a-f-]*[0-9])[0-9a-f]{8}[0-9a-f-]*|T\d{1,4}", re.IGNORECASE
)
_LEAST_OF_AN_ID = 4
"""Shorter beginnings of ids are words, too: `a`, `add`, `be`."""
_MOST_SHOWN = 10


class Said(NamedTuple):
    """A command taken apart."""

    flags: list[str]
    which: str
    """The id that was given; empty: none."""
    text: str


def here() -> Project:
    return open_project(Path.cwd())


def waiting(project: Project, find: Callable[[Session], Iterable[Pending]]) -> list[Pending]:
    """What waits in all sessions that are unfinished, the latest first."""
    rows = [row for row in project.summaries() if is_unfinished(row)]
    return [pending for row in rows for pending in find(project.load(row["id"]))]


def take_apart(rest: str, options: Options, project: Project, pending: Sequence[Pending]) -> Said:
    """Options, an id, and words, in that order; options may also follow the id, or words in quotes."""
    flags, text = take_flags(rest, options)
    word, behind = first_word(text)
    which = _named(word, project, pending) if word and not text.startswith(("'", '"')) else ""
    if which:
        more, text = take_flags(behind, options)
        flags += more
    text, more = take_words(text, options)
    return Said(flags + more, which, text)


def _named(word: str, project: Project, pending: Sequence[Pending]) -> str:
    """What the word names, exactly; empty: it is no id. What only looks like one is left to whoever looks it up."""
    keyed = [one.id for one in pending if one.task and one.key == word]
    if len(keyed) == 1:
        return keyed[0]  # a newer session may have a task of the same key that waits for nobody
    if keyed or _LIKE_AN_ID.fullmatch(word):
        return word
    ids = [row["id"] for row in project.summaries()]
    begins = [one for one in ids if one.removeprefix("session-").startswith(word.lower())]
    return word if begins and len(word) >= _LEAST_OF_AN_ID else ""


def the_one(pending: Sequence[Pending], typed: str, nothing: ToryoError) -> Pending:
    """What is meant where nothing is named; `typed` is how one is named, with ID in it."""
    if not pending:
        raise nothing
    if len(pending) == 1:
        return pending[0]
    keys = [one.key for one in pending]
    names = [one.key if keys.count(one.key) == 1 else one.id for one in pending]
    lines = [f"{typed.replace('ID', name)}  {_in_short(one.asks)}" for name, one in zip(names, pending, strict=True)]
    error = ToryoError("E164", f"{len(pending)} things wait for you: say which one is meant", hint=typed)
    raise error.with_details(lines[:_MOST_SHOWN])


def _in_short(text: str) -> str:
    return clipped(" ".join(text.split()), 80)
