"""The intents of a repository: found by name, added, and changed."""

import time
from pathlib import Path

from toryo.adapters.intentfiles import IntentFiles
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.intent import INTENT_MOVES, Intent, IntentStatus, Listing
from toryo.domain.moves import move
from toryo.domain.session import Session, SessionState
from toryo.rules.belonging import is_anothers, name_by_now
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


def write_down(project: Project, wanted: Intent) -> tuple[Intent, bool]:
    """What a person wants, and whether that is new: whoever says the same twice has it once."""
    from toryo.rules.likeness import is_said_again  # who only looks at them does without

    files = intent_files(project)
    while True:
        if known := next((one for one in files.listing().intents if is_said_again(wanted, one)), None):
            return known, False
        slug = slug_of(wanted.title, set(files.slugs()))
        named = changed(wanted, slug=slug, created_at=round(time.time(), 3))
        if files.create(named):
            return named, True


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
    """None also where it cannot be read."""
    try:
        return session_of(project, intent)
    except ToryoError:
        return None


def session_of(project: Project, intent: Intent) -> Session | None:
    """The session that works on it, or did; None: there is none, or not yet, or its file names that of another."""
    if not intent.session or intent.session not in project.journal.streams():
        return None
    session = project.load(intent.session)
    pursued = session.pursuit.intent if session.pursuit else intent.slug
    is_copied = pursued != intent.slug and is_anothers(
        intent, pursued, sessions_on_file(intent_files(project).listing())
    )
    return None if is_copied else session


def pursued_by(project: Project, session: Session) -> Intent:
    """What a session works on, by whichever name its file has by now; raises ToryoError where that is gone."""
    assert session.pursuit is not None
    files = intent_files(project)
    return files.read(name_by_now(session.pursuit.intent, session.id, sessions_on_file(files.listing())))


def sessions_on_file(listing: Listing) -> dict[str, str | None]:
    """Which session the file of each intent names, by slug; None: it cannot be read."""
    broken = {Path(one.path).stem: None for one in listing.broken}
    return {**broken, **{one.slug: one.session for one in listing.intents}}


def ended_of(project: Project, intent: Intent) -> str:
    """The session in whose place a new one is opened: it is closed, or that of another; empty: there is none."""
    if not intent.session or intent.session not in project.journal.streams():
        return ""
    session = session_of(project, intent)
    return intent.session if session is None or session.state is SessionState.CLOSED else ""
