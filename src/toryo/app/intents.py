"""The intents of a repository: found by name, added, and changed."""

import time

from toryo.adapters.intentfiles import IntentFiles
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.intent import INTENT_MOVES, Intent, IntentStatus
from toryo.domain.moves import move
from toryo.domain.session import Session
from toryo.rules.slugs import slug_of
from toryo.views.intents import Surroundings


def intent_files(project: Project) -> IntentFiles:
    return IntentFiles(project.place.root, project.place.store)


def find_intent(project: Project, wanted: str) -> Intent:
    """By its slug, or any beginning of it that no other has; also by the name of its file."""
    files = intent_files(project)
    return files.read(the_slug(files, wanted))


def the_slug(files: IntentFiles, wanted: str) -> str:
    """The one that is meant; raises ToryoError where none is, or several are."""
    wanted = wanted.strip().rpartition("/")[2].removesuffix(".yaml")
    known = files.slugs()
    found = [slug for slug in known if slug == wanted] or [slug for slug in known if wanted and slug.startswith(wanted)]
    if len(found) > 1:
        error = ToryoError("E205", f"'{wanted}' names {len(found)} intents", hint="give more of the name")
        raise error.with_details(found[:10])
    if not found:
        raise _unknown(wanted, known)
    return found[0]


def _unknown(wanted: str, known: list[str]) -> ToryoError:
    import difflib

    near = difflib.get_close_matches(wanted, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "'toryo intent list --all' shows them"
    return ToryoError("E170", f"there is no intent '{wanted}'", hint=hint)


def add_intent(project: Project, intent: Intent) -> Intent:
    """With a name that nobody has, made of its title where it has none."""
    files = intent_files(project)
    taken = set(files.slugs())
    intent = changed(intent, created_at=intent.created_at or round(time.time(), 3))
    while True:
        named = changed(intent, slug=intent.slug or slug_of(intent.title, taken))
        if files.create(named):
            return named
        taken.add(named.slug)
        intent = changed(intent, slug="")


def moved(intent: Intent, status: IntentStatus, **changes: object) -> Intent:
    """With another status; raises IllegalMove where that cannot follow."""
    move("intent", INTENT_MOVES, intent.status, status)
    return changed(intent, status=status, updated_at=round(time.time(), 3), **changes)


def surroundings(project: Project, intent: Intent) -> Surroundings:
    """The intent with its session, if that is there, its parent and its children."""
    files = intent_files(project)
    others = files.listing().intents
    return Surroundings(
        intent,
        str(files.path(intent.slug).relative_to(project.place.root)),
        _session_of(project, intent),
        next((one for one in others if one.slug == intent.parent), None) if intent.parent else None,
        tuple(one for one in others if one.parent == intent.slug),
    )


def _session_of(project: Project, intent: Intent) -> Session | None:
    """None: there is none, or it was named and has not begun."""
    try:
        return project.load(intent.session) if intent.session else None
    except ToryoError:
        return None
