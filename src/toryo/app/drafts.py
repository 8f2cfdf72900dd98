"""Drafts become intents: each once, whatever happens in between, and none is lost."""

import time
from pathlib import Path

from toryo.adapters.draftfiles import FOLDER, Claim, DraftFiles, is_unsettled, read_draft
from toryo.adapters.intentfiles import IntentFiles, unwritable
from toryo.adapters.yamlfields import BrokenFile
from toryo.app.intents import intent_files
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Intent
from toryo.rules.instants import moment
from toryo.rules.slugs import slug_of
from toryo.views.tending import trouble_words

DRAFTS = str(FOLDER)


@fact
class Draft:
    """What came of one: an intent, or why it was left as it is."""

    path: str
    """From the root of the repository."""
    intent: Intent | None = None
    broken: Broken | None = None
    is_unsettled: bool = False
    """Somebody is writing it: look again in a moment, since nobody may tell when that ends."""


@fact
class Pile:
    """The drafts that are there, by their paths from the root of the repository."""

    waiting: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    """Those that no intent can come of as they are."""


def look_at_drafts(project: Project) -> Pile:
    """Changes nothing."""
    drafts = _draft_files(project)
    try:
        found = drafts.waiting()
    except (ToryoError, OSError) as error:
        return Pile(broken=(Broken(DRAFTS, 1, trouble_words(error)),))
    wrong = {path: _what_is_wrong(drafts, path) for path in found}
    waiting = tuple(str(FOLDER / path.name) for path, broken in wrong.items() if broken is None)
    return Pile(waiting, tuple(broken for broken in wrong.values() if broken))


def _what_is_wrong(drafts: DraftFiles, path: Path) -> Broken | None:
    """None: nothing, or somebody is still writing it."""
    try:
        read_draft(drafts.content_of(path))
    except FileNotFoundError:
        return None
    except BrokenFile as error:
        return None if is_unsettled(path) else Broken(str(FOLDER / path.name), error.line, error.says)
    return None


def take_in_drafts(project: Project) -> list[Draft]:
    """Makes an intent of each draft that says something, and removes it once that is safely written.

    A draft is first given a name that says which intent it becomes. Whoever is killed after that leaves it to the
    next to finish: the same intent, if it is not there yet, and then the draft goes. Raises ToryoError.
    """
    drafts, files = _draft_files(project), intent_files(project)
    if not drafts.waiting() and not drafts.claims():
        return []
    try:
        with drafts.alone():
            finished = [_finished(files, drafts, claim) for claim in drafts.claims()]
            taken = [_taken_in(files, drafts, path) for path in drafts.waiting()]
            return [draft for draft in (*finished, *taken) if draft]
    except OSError as error:
        raise unwritable(FOLDER, error) from error


def _draft_files(project: Project) -> DraftFiles:
    return DraftFiles(project.place.root, project.place.store)


def _taken_in(files: IntentFiles, drafts: DraftFiles, path: Path) -> Draft | None:
    """None: it says nothing yet, or is gone."""
    name = str(FOLDER / path.name)
    if is_unsettled(path):
        return Draft(name, is_unsettled=True)
    try:
        read = read_draft(drafts.content_of(path))
        if read is None:
            return None
        claim = drafts.claim(path, slug_of(read.title, set(files.slugs())), time.time())
    except FileNotFoundError:
        return None
    except BrokenFile as error:
        return Draft(name, broken=Broken(name, error.line, error.says))
    return _finished(files, drafts, claim)


def _finished(files: IntentFiles, drafts: DraftFiles, claim: Claim) -> Draft | None:
    """Whatever is left to do for a draft that is claimed."""
    name = str(FOLDER / claim.name)
    try:
        raw = drafts.content_of(claim.path)
        read = read_draft(raw)
    except BrokenFile as error:
        drafts.give_back(claim)
        return Draft(name, broken=Broken(name, error.line, error.says))
    if read is None or is_unsettled(claim.path):
        drafts.give_back(claim)
        return Draft(name, is_unsettled=True)
    intent = changed(read, slug=claim.slug, created_at=claim.created_at)
    if not files.create(intent):
        try:
            there = files.read(claim.slug)
        except ToryoError as error:  # it may be ours: what becomes of the draft is known once it can be read
            return Draft(name, broken=Broken(name, 1, f"it became the intent {claim.slug}, perhaps: {error.message}"))
        if moment(there.created_at) != moment(claim.created_at):  # somebody else's; it gets another name
            return _taken_in(files, drafts, drafts.give_back(claim))
    if drafts.content_of(claim.path) == raw and not is_unsettled(claim.path):
        drafts.discard(claim)
    else:
        drafts.give_back(claim)
    return Draft(name, intent)
