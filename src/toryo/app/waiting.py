"""What waits for a person here: in sessions, in intents, and in whatever else has something for them to decide."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toryo.app.autonomy import autonomous_releases, policy_of
from toryo.app.configuration import settings_of
from toryo.app.intents import intent_files, sessions_on_file
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Intent, IntentStatus, Listing
from toryo.domain.session import Session
from toryo.rules.autonomy import Policy, why_not_by_itself
from toryo.rules.belonging import is_anothers, name_by_now
from toryo.rules.hindering import hindrance
from toryo.views.inbox import inbox, ranked
from toryo.views.inboxitems import Item
from toryo.views.intentinbox import Held, broken_item, intent_item, judged, orphan_item, skill_item
from toryo.views.rows import is_unfinished

Rows = Sequence[Mapping[str, Any]]
_RELEASE = "release"


@fact
class Waiting:
    """Everything that waits, the riskiest first, and what was looked at to find it."""

    items: tuple[Item, ...]
    approved: tuple[Intent, ...] = ()
    """Intents that may begin and have not."""

    @property
    def count(self) -> int:
        """How much a person has to decide; a pause only has to pass."""
        return sum(item.what != "pause" for item in self.items)


def what_waits(
    project: Project, rows: Rows, session_id: str | None = None, load: Callable[[str], Session] | None = None
) -> Waiting:
    """In one session, or everywhere; who looks again and again knows a quicker way to load a session."""
    root, load = str(project.place.root), load or project.load
    if session_id:
        is_latest = not rows or rows[0]["id"] == session_id
        return Waiting(tuple(ranked(inbox(load(session_id), root, is_latest=is_latest))))
    listing = intent_files(project).listing()
    # A session that only waits for a word about its intent is not read: there may be a thousand of them.
    unread = [row for row in rows if is_unfinished(row) and row["waits_for"] != _RELEASE]
    on_file = sessions_on_file(listing)
    found = [
        item
        for row in unread
        for item in inbox(_as_named_now(load(row["id"]), on_file), root, is_latest=row is rows[0])
    ]
    said = {item.session for item in found}
    found += _of_intents(project, listing, rows, said)
    broken = (*listing.broken, *_broken_drafts(project))
    found += [broken_item(one, _changed_at(project, one.path)) for one in broken]
    found += _of_skills(project)
    approved = tuple(one for one in listing.intents if _may_begin(one))
    return Waiting(tuple(ranked(found)), approved)


def _as_named_now(session: Session, on_file: Mapping[str, str | None]) -> Session:
    """What waits in it is decided by the name of its intent, whose file may have been renamed."""
    if session.pursuit is None:
        return session
    name = name_by_now(session.pursuit.intent, session.id, on_file)
    return changed(session, pursuit=changed(session.pursuit, intent=name))


def _of_intents(project: Project, listing: Listing, rows: Rows, said: set[str]) -> list[Item]:
    by_id = {row["id"]: row for row in rows}
    policy = _policy(project, rows)
    found = []
    on_file = sessions_on_file(listing)
    for intent in listing.intents:
        row = by_id.get(intent.session)
        if row and row["intent"] and is_anothers(intent, row["intent"], on_file):
            row = None
        if row is None or row["id"] not in said:
            found.append(intent_item(intent, row, Held(why_not_by_itself(intent, judged(intent, row), policy))))
    known = {intent.session for intent in listing.intents} | {broken.path for broken in listing.broken}
    lost = [row for row in rows if row["waits_for"] == _RELEASE and row["id"] not in known]
    named = {f".toryo/intents/{row['intent']}.yaml": row for row in lost}
    found += [orphan_item(row) for path, row in named.items() if path not in known]
    return [item for item in found if item]


# Most repositories have neither drafts nor skills that wait: then what looks at them is not even loaded.


def _broken_drafts(project: Project) -> tuple[Broken, ...]:
    if not _has(project, "drafts"):
        return ()
    from toryo.app.drafts import look_at_drafts

    return look_at_drafts(project).broken


def _of_skills(project: Project) -> list[Item]:
    if not _has(project, "proposals"):
        return []
    from toryo.app.skills import skill_proposals

    return [skill_item(skill, since) for skill, since in skill_proposals(project)]


def _has(project: Project, folder: str) -> bool:
    return (project.place.root / ".toryo" / folder).is_dir()


def _policy(project: Project, rows: Rows) -> Policy:
    try:
        settings = settings_of(project)
    except ToryoError:  # broken settings let nothing begin by itself, and are told by who needs them
        return Policy()
    return policy_of(settings, autonomous_releases(project, rows) if settings.autonomy.enabled else ())


def _may_begin(intent: Intent) -> bool:
    return intent.status is IntentStatus.APPROVED and not intent.needs_clarification and not hindrance(intent)


def _changed_at(project: Project, path: str) -> float:
    try:
        return (project.place.root / path).lstat().st_mtime
    except OSError:
        return 0.0
