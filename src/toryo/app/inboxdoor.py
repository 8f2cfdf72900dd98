"""Deciding about what waits, for a face that stays open: asked, recorded, and gone on with in the background."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from toryo.app.carryingon import carry_on
from toryo.app.closer import details_of
from toryo.app.deciding import Asking, Decided, decide, meant_by, still_waits, what_to_ask
from toryo.app.leasing import watcher
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.rules.discretion import secrets_in
from toryo.views.inboxitems import Choice, Item
from toryo.views.screen import clean

TOO_LATE = "somebody else has decided meanwhile"


def what_is_asked(root: Path, item: Item, choice: Choice) -> Asking:
    """Before a decision holds; raises ToryoError where there is nothing to decide any more."""
    with _opened(root) as project:
        if not still_waits(project, item):
            raise ToryoError("E289", TOO_LATE)
        return what_to_ask(project, meant_by(project, item), choice)


def settle(root: Path, item: Item, choice: Choice, words: str = "") -> str:
    """Records it and has the session go on; what to tell the person."""
    with _opened(root) as project:
        if not still_waits(project, item):
            raise ToryoError("E289", TOO_LATE)
        decided = decide(project, meant_by(project, item), choice, words)
        said = [decided.says, *_secrets(words), *_what_follows(project, decided)]
        return "\n".join(line for line in said if line)


def more_about(root: Path, item: Item) -> list[str]:
    """All that was said about it, and what has been changed for it."""
    if not (item.session or item.intent):
        return []
    with closing(open_project(root)) as project:
        return [clean(line) for line in details_of(project, meant_by(project, item))]


def _what_follows(project: Project, decided: Decided) -> Iterator[str]:
    if decided.session is not None:
        yield carry_on(project, decided.session)
    if decided.waits_for_watch and watcher(project) is None:
        yield "nobody watches: it begins with 'toryo watch'"


def _secrets(words: str) -> Iterator[str]:
    if kinds := secrets_in([words]):
        yield f"what looks like a secret ({', '.join(kinds)}) was masked"


@contextmanager
def _opened(root: Path) -> Iterator[Project]:
    with closing(open_project(root, writing=True)) as project:
        only_a_person(project)
        yield project
