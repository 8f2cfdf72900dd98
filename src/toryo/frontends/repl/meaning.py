"""Which session or task is meant: the one that is named first, or the one thing that waits."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from toryo.app.intents import intent_files
from toryo.app.meaning import is_slug
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
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


def waiting(
    project: Project,
    find: Callable[[Session], Iterable[Pending]],
    find_in_intent: Callable[[Intent], Iterable[Pending]] | None = None,
) -> list[Pending]:
    """What waits in all sessions that are unfinished, the latest first; then in intents, unless theirs says it."""
    rows = [row for row in project.summaries() if is_unfinished(row) and row["waits_for"] != "release"]
    found = [pending for row in rows for pending in find(project.load(row["id"]))]
    if find_in_intent is None:
        return found
    said = {pending.session for pending in found}
    intents = [intent for intent in intent_files(project).listing().intents if intent.session not in said]
    return found + [pending for intent in intents for pending in find_in_intent(intent)]


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
    if keyed or _LIKE_AN_ID.fullmatch(word) or is_slug(project, word) or _is_list(word, project):
        return word
    ids = [row["id"] for row in project.summaries()]
    begins = [one for one in ids if one.removeprefix("session-").startswith(word.lower())]
    return word if begins and len(word) >= _LEAST_OF_AN_ID else ""


def _is_list(word: str, project: Project) -> bool:
    """Several ids with commas between them."""
    names = [name for name in word.split(",") if name]
    return len(names) > 1 and all(is_slug(project, name) or _LIKE_AN_ID.fullmatch(name) for name in names)


def more_ids(text: str, project: Project) -> tuple[list[str], str]:
    """The ids with which words begin, and the rest."""
    found: list[str] = []
    while (split := first_word(text)) and split[0] and (is_slug(project, split[0]) or _LIKE_AN_ID.fullmatch(split[0])):
        found.append(split[0])
        text = split[1]
    return found, text


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
