"""A session's events as a conversation: what was said, asked, planned, done, and what came of it."""

from collections.abc import Iterable

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.session import Session
from toryo.views import speeches
from toryo.views.entries import STEPS, Entry, Kind, Standing, Who
from toryo.views.steps import overview_entry as overview_entry
from toryo.views.steps import step

MOST_STEPS = 30
"""Lines in a row about what happens; what came before them becomes one."""
MOST_ENTRIES = 300
_MODEL_EVENTS = (e.ModelEvent, e.WorkReviewed, e.TaskReconsidered)


class Conversation:
    """Grows with every event; of a session of any length it keeps no more than a person could read."""

    def __init__(self) -> None:
        self.seq = 0
        """Of the last event that was told."""
        self.session: Session | None = None
        self._entries: dict[str, Entry] = {}
        """By id, in order."""
        self._folded: dict[str, int] = {}
        """How many there were of those that a line stands for, by its id."""
        self._asked = ""
        """The id of what waits for answers, of the plan that is to be approved, and of an outage that goes on."""
        self._plan = ""
        self._outage = ""
        self._changes: dict[str, Entry] = {}

    @property
    def entries(self) -> list[Entry]:
        """In order."""
        return list(self._entries.values())

    def misses(self, session: Session) -> bool:
        """Whether something happened before this that it was not told: then it is to be read anew."""
        return session.seq > self.seq + 1

    def told(self, session: Session, event: e.Event) -> list[Entry]:
        """Adds an event, with the session as it stood right after, and says what changed.

        New entries come at the end, those with a known id take the old one's place, and what `is_gone` goes away, if
        it was there at all. An event that was told already changes nothing.
        """
        if session.seq <= self.seq or (self.session is not None and session.id != self.session.id):
            return []
        self.seq, self.session = session.seq, session
        self._tell(session, event)
        self._keep_short()
        changes, self._changes = list(self._changes.values()), {}
        return changes

    # ── what each event adds ─────────────────────────────────────────────────

    def _tell(self, session: Session, event: e.Event) -> None:
        if isinstance(event, _MODEL_EVENTS) and not isinstance(event, e.CallPostponed):
            self._outage = ""
        match event:
            case e.SessionOpened():
                self._put(speeches.opening(session, event))
            case e.WishAdded():
                self._put(speeches.said(session, event, event.text, event.by))
            case e.PersonSaid():
                self._put(speeches.said(session, event, event.text))
            case e.SayingConsidered():
                self._put(speeches.considered(session, event))
            case e.SessionJudged():
                self._put(speeches.judged(session, event))
            case e.CallPostponed():
                self._told_of_outage(session, event)
            case e.SessionClosed() | e.SessionPaused(waits_for_person=True):
                self._put(speeches.summary(session, event))
            case _ if not self._told_of_planning(session, event):
                self._put(step(session, event))

    def _told_of_planning(self, session: Session, event: e.Event) -> bool:
        """Whether it is about questions, documents or a plan."""
        match event:
            case e.QuestionsAsked() | e.IntentAnalysed():
                entry = speeches.asked(session, event)
                self._put(entry or step(session, event))
                self._asked = entry.id if entry else ""
            case e.QuestionsAnswered():
                if entry := self._entries.get(self._asked):
                    self._put(speeches.answered(entry, event))
            case e.DocumentWritten():
                self._put(speeches.document(session, event))
            case e.PlanProposed():
                self._put(entry := speeches.plan(session, event))
                self._plan = entry.id
                self._take_in_documents()
            case e.PlanEdited():
                self._put(speeches.plan(session, event, self._entries.get(self._plan)))
                self._put(step(session, event))
            case e.PlanApproved():
                self._decided(Standing.APPROVED)
                self._put(step(session, event))
            case e.PlanRejected():
                self._decided(Standing.REJECTED)
                self._put(speeches.said(session, event, event.why, event.by))
            case _:
                return False
        return True

    def _decided(self, standing: Standing) -> None:
        if entry := self._entries.get(self._plan):
            self._put(changed(entry, standing=standing))

    def _take_in_documents(self) -> None:
        """They are part of the plan from here on."""
        for entry in self.entries:
            if entry.kind is Kind.REPLY and entry.sections:
                self._drop(entry)

    def _told_of_outage(self, session: Session, event: e.CallPostponed) -> None:
        """However often a model is asked in vain, it is one thing."""
        entry = step(session, event)
        if entry and self._outage in self._entries:
            entry = changed(entry, id=self._outage)
        self._put(entry)
        self._outage = entry.id if entry else ""

    # ── keeping it short ─────────────────────────────────────────────────────

    def _put(self, entry: Entry | None) -> None:
        if entry is not None:
            self._entries[entry.id] = self._changes[entry.id] = entry

    def _drop(self, entry: Entry) -> None:
        del self._entries[entry.id]
        self._changes[entry.id] = changed(entry, is_gone=True)

    def _keep_short(self) -> None:
        while len(steps := self._last_steps()) > MOST_STEPS:
            self._fold(steps[0], steps[1])
        while len(self._entries) > MOST_ENTRIES:
            _, second, third, *_ = self.entries  # what was asked for stays
            self._fold(second, third)

    def _last_steps(self) -> list[Entry]:
        """Those in a row at the end."""
        steps: list[Entry] = []
        for entry in reversed(self._entries.values()):
            if entry.kind not in STEPS:
                break
            steps.append(entry)
        return steps[::-1]

    def _fold(self, first: Entry, second: Entry) -> None:
        """Two become one line, in the first one's place, which says how many it stands for."""
        count = self._folded.pop(first.id, 1) + self._folded.pop(second.id, 1)
        self._drop(second)
        self._folded[first.id] = count
        words = f"… {count} earlier steps"
        self._put(Entry(first.id, second.at, Who.TORYO, Kind.PROGRESS, words))


def fold(told: Iterable[tuple[Session, e.Event]]) -> list[Entry]:
    """The whole conversation of a session, each event with the session as it stood right after."""
    conversation = Conversation()
    for session, event in told:
        conversation.told(session, event)
    return conversation.entries
