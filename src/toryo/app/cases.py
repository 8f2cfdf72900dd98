"""The intents of a repository with the sessions that work on them, and what is to be done about each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toryo.app.autonomy import autonomous_releases, policy_of
from toryo.app.configuration import settings_of
from toryo.app.intents import intent_files, sessions_on_file
from toryo.app.leasing import conducted_now, conducting
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Intent, IntentStatus
from toryo.domain.session import Session, SessionState
from toryo.rules.autonomy import Policy
from toryo.rules.belonging import is_anothers, without_their_parent
from toryo.rules.flows import parts_of
from toryo.rules.resting import rests
from toryo.rules.tending import Step, next_step

Note = Callable[[str, str], None]
"""Gets what is wrong: what it is about, and why."""


@fact
class Case:
    """An intent, its session as far as that matters, and what is to be done."""

    intent: Intent
    row: Mapping[str, Any] | None = None
    session: Session | None = None
    """None also where it is settled, so that nobody has to look at it."""
    step: Step = Step.NOTHING
    is_attended: bool = False
    """Somebody conducts its session, or might."""
    is_at_work: bool = False
    """Or waits for its turn."""
    ended: str = ""
    """The session that its file names and that is another's: this was copied from that one's file, and begins anew."""

    @property
    def place(self) -> tuple[bool, float, float, str]:
        """Among those that wait for their turn."""
        return (not self.step.comes_first, self.intent.order, self.intent.created_at, self.intent.slug)


@fact
class Seen:
    """Everything at one moment."""

    cases: tuple[Case, ...] = ()
    broken: tuple[Broken, ...] = ()
    policy: Policy = Policy()
    is_busy: bool = False
    """A session of some intent is at work, or waits for its turn."""

    @property
    def upcoming(self) -> list[Case]:
        """What will be taken up, in order."""
        return sorted((case for case in self.cases if case.step.takes_a_turn), key=lambda case: case.place)

    def parts_of(self, intent: Intent, session: Session | None) -> list[Intent]:
        """Also where it was renamed since its session has written them down."""
        others = [case.intent for case in self.cases]
        filed = session.pursuit.filed if session and session.pursuit else None
        return parts_of(intent, others) or without_their_parent(filed or (), others)


def _note_nothing(about: str, why: str) -> None:
    pass


class Cases:
    """Remembers sessions between two looks, so that only those are folded in which something happened."""

    def __init__(self, project: Project, note: Note = _note_nothing) -> None:
        self._project, self._files, self._note = project, intent_files(project), note
        self._folded: dict[str, tuple[Mapping[str, Any], Session]] = {}
        self._released: dict[str, float] = {}

    def look(self) -> Seen:
        """Changes nothing."""
        listing = self._files.listing()
        rows = self._project.summaries()
        by_id = {row["id"]: row for row in rows}
        latest: dict[str, Mapping[str, Any]] = {}
        for row in rows:  # latest first
            if row["intent"]:
                latest.setdefault(row["intent"], row)
        policy = self._policy(rows)
        at_work = conducted_now(conducting(self._project))
        on_file = sessions_on_file(listing)
        copied = {one.slug for one in listing.intents if _is_copied(one, by_id, on_file)}
        cases = [
            self._case(one, _row_of(one, by_id, latest), policy, at_work)
            if one.slug not in copied
            else _copied(one, policy)
            for one in listing.intents
        ]
        slugs = {one.slug for one in listing.intents}
        strays = [row for row in rows if row["intent"] and row["intent"] not in slugs]
        is_busy = any(case.is_at_work for case in cases) or any(_is_going(row, at_work) for row in strays)
        return Seen(tuple(cases), listing.broken, policy, is_busy)

    def _policy(self, rows: Sequence[Mapping[str, Any]]) -> Policy:
        """As the configuration is now; one that cannot be read lets nothing through."""
        try:
            settings = settings_of(self._project)
        except ToryoError as error:
            self._note("the configuration", "; ".join((error.message, *error.details[:3])))
            return Policy()
        released = autonomous_releases(self._project, rows, self._released) if settings.autonomy.enabled else []
        return policy_of(settings, released)

    def _case(self, intent: Intent, row: Mapping[str, Any] | None, policy: Policy, at_work: str | None) -> Case:
        if row is None:
            return Case(intent, step=next_step(intent, None, policy, is_attended=False))
        session = None if _is_settled(intent, row) else self._session(row)
        if session is None:
            return Case(intent, row)
        is_attended = at_work is None or at_work == session.id
        is_at_work = session.queued_at is not None or (is_attended and not rests(session))
        step = next_step(intent, session, policy, is_attended=is_attended)
        return Case(intent, row, session, step, is_attended, is_at_work)

    def _session(self, row: Mapping[str, Any]) -> Session | None:
        known = self._folded.get(row["id"])
        if known is not None and known[0] == row:
            return known[1]
        try:
            session = self._project.load(row["id"])
        except ToryoError as error:
            self._note(str(row["intent"]), error.message)
            return None
        self._folded[row["id"]] = (row, session)
        return session


def _is_copied(intent: Intent, by_id: Mapping[str, Mapping[str, Any]], on_file: Mapping[str, str | None]) -> bool:
    row = by_id.get(intent.session)
    return bool(row and row["intent"] and is_anothers(intent, row["intent"], on_file))


def _copied(intent: Intent, policy: Policy) -> Case:
    """As if nobody had worked on it yet."""
    step = next_step(changed(intent, session=""), None, policy, is_attended=False)
    return Case(intent, ended=intent.session, step=step)


def _row_of(
    intent: Intent, by_id: Mapping[str, Mapping[str, Any]], latest: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Of the latest session that works on it; None: none was opened yet, or not the one that the file names."""
    if intent.session and intent.session not in by_id:
        return None
    found = latest.get(intent.slug)
    is_of_this = found is not None and (found["opened_at"] >= intent.created_at or found["id"] == intent.session)
    return found if is_of_this else by_id.get(intent.session)  # its file may have had another name then


def _is_settled(intent: Intent, row: Mapping[str, Any]) -> bool:
    """The file says already what the session would have it say, and nobody wants anything else."""
    is_closed = row["state"] == SessionState.CLOSED
    if intent.status is IntentStatus.REJECTED:
        return bool(is_closed)
    if intent.session != row["id"] or intent.updated_at < int(row["updated_at"]):
        return False
    if intent.status is IntentStatus.DONE:
        return bool(is_closed)
    return bool(intent.status.is_failed and (is_closed or row["state"] == SessionState.PAUSED))


def _is_going(row: Mapping[str, Any], at_work: str | None) -> bool:
    is_over = row["state"] in (SessionState.PAUSED, SessionState.CLOSED)
    return bool(row["queued_at"] is not None or (row["id"] == at_work and not is_over))
