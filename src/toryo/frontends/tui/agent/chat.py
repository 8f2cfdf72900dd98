"""Which conversations stand in the chat, and which of them is in front: whatever is typed is about that one."""

from collections.abc import Iterable, Iterator

from toryo.app.following import News
from toryo.app.offering import Offer
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.frontends.tui.agent.items import Echo, Heading, Item, Remark
from toryo.views.columns import clipped
from toryo.views.conversation import Conversation
from toryo.views.entries import Entry, Kind, Standing

_MOST_CONVERSATIONS = 3
_MOST_REMARKS = 20
_MOST_OFFERS = 5


class Chat:
    """What is known of it; it shows nothing itself."""

    def __init__(self) -> None:
        self._conversations: dict[str, Conversation] = {}
        self.front: str | None = None
        self.offers: tuple[Offer, ...] = ()
        self._left: set[str] = set()
        """Offers that somebody does not want to see any more."""
        self._echo = ""
        self._remarks: list[tuple[tuple[str, ...], Item]] = []
        """Each with the keys of all that it stands below."""
        self._answers: list[tuple[Session, str]] = []
        """What is remarked about something that was said, as soon as that is in the chat."""
        self._count = 0

    # ── conversations ────────────────────────────────────────────────────────

    @property
    def session(self) -> Session | None:
        """The one in front, as it stands."""
        found = self._conversations.get(self.front or "")
        return found.session if found else None

    def knows(self, session_id: str) -> bool:
        return session_id in self._conversations

    def put(self, conversation: Conversation, *, alone: bool = False) -> None:
        """At the end; the oldest make room. `alone`: instead of all others."""
        assert conversation.session is not None
        if alone:
            self._conversations.clear()
            self._remarks.clear()
        known = self._conversations.get(conversation.session.id)
        if known is None or known.seq <= conversation.seq:
            self._conversations[conversation.session.id] = conversation
        for oldest in list(self._conversations)[:-_MOST_CONVERSATIONS]:
            del self._conversations[oldest]
        self._remark_answers()

    def hear(self, news: Iterable[News]) -> list[str]:
        """The conversations that missed something, and have to be read anew."""
        missed = []
        for each in news:
            conversation = self._conversations.get(each.session.id)
            if conversation is None:
                continue
            if each.events and conversation.misses(each.events[0][0]):
                missed.append(each.session.id)
                continue
            for session, event in each.events:
                conversation.told(session, event)
        self._remark_answers()
        return missed

    # ── what the app says itself ─────────────────────────────────────────────

    def remark(self, text: str, *, is_trouble: bool = False) -> None:
        self._count += 1
        item = Item(f"remark-{self._count}", Remark(text, is_trouble))
        self._remarks = [*self._remarks, (self._all_keys(), item)][-_MOST_REMARKS:]

    def answer(self, session: Session, text: str) -> None:
        """A remark about what was just said to a session, which is as it stood right after: below those words."""
        self._answers.append((session, text))
        self._remark_answers()

    def _remark_answers(self) -> None:
        waiting, self._answers = self._answers, []
        for session, text in waiting:
            conversation = self._conversations.get(session.id)
            if conversation is not None and conversation.seq >= session.seq:
                self.remark(text)
            else:
                self._answers.append((session, text))

    def echo(self, text: str) -> None:
        """Empty: it is recorded by now, or was refused."""
        self._echo = text

    def oversee(self, entry: Entry, session_id: str) -> None:
        """How it stands, below all that has happened; the one before goes."""
        item = Item(f"{session_id}/overview", entry, session_id)
        others = [one for one in self._remarks if one[1].key != item.key]
        self._remarks = [*others, (self._all_keys(), item)][-_MOST_REMARKS:]

    def _all_keys(self) -> tuple[str, ...]:
        return tuple(item.key for item in self._entries())

    def leave(self, session_id: str) -> None:
        self._left.add(session_id)

    def offer_again(self, session_id: str) -> None:
        self._left.discard(session_id)

    # ── what stands in it ────────────────────────────────────────────────────

    @property
    def waiting(self) -> Item | None:
        """Questions or a plan of the session in front that wait for an answer."""
        for item in reversed(list(self._of(self.front or ""))):
            if isinstance(item.what, Entry) and item.what.standing is Standing.WAITING:
                return item
        return None

    @property
    def ends_with_card(self) -> bool:
        """The last thing in it is one that can be decided about, or gone on with."""
        if self.waiting is not None or any(True for _ in self._offered()):
            return True
        return next((bool(item.can) for item in reversed(list(self._entries()))), False)

    def items(self) -> list[Item]:
        entries = list(self._entries())
        kept = {item.key for item in entries}
        below: dict[str, list[Item]] = {}
        for keys, item in self._remarks:
            # Of what it stands below, the last may be gone: steps become one line, documents part of a plan.
            key = next((key for key in reversed(keys) if key in kept), "")
            below.setdefault(key, []).append(item)
        shown = below.pop("", [])
        for item in entries:
            shown += [item, *below.pop(item.key, [])]
        if self._echo:
            shown.append(Item("echo", Echo(self._echo)))
        return [*shown, *self._offered()]

    def _entries(self) -> Iterator[Item]:
        is_alone = len(self._conversations) < 2
        for session_id, conversation in self._conversations.items():
            if not is_alone and conversation.session:
                title = f"{conversation.session.short}  {clipped(conversation.session.title, 60)}"
                yield Item(f"{session_id}/heading", Heading(title), session_id)
            yield from self._of(session_id)

    def _of(self, session_id: str) -> Iterator[Item]:
        conversation = self._conversations.get(session_id)
        if conversation is None:
            return
        entries = conversation.entries
        for entry in entries:
            is_last = entry is entries[-1]
            can = _afterwards(conversation.session) if entry.kind is Kind.SUMMARY and is_last else ()
            yield Item(f"{session_id}/{entry.id}", entry, session_id, can)

    def _offered(self) -> Iterator[Item]:
        last = next(reversed(list(self._of(self.front or ""))), None)
        is_summed_up = last is not None and isinstance(last.what, Entry) and last.what.kind is Kind.SUMMARY
        is_said = self.waiting is not None or is_summed_up
        wanted = [offer for offer in self.offers if offer.id not in self._left]
        for offer in wanted[:_MOST_OFFERS]:
            if not (is_said and offer.id == self.front):
                yield Item(f"{offer.id}/offer", offer, offer.id)
        if len(wanted) > _MOST_OFFERS:
            more = f"{len(wanted) - _MOST_OFFERS} more are unfinished: Ctrl+O lists them"
            yield Item("offers", Remark(more))


def _afterwards(session: Session | None) -> tuple[str, ...]:
    """What there is to do about a session that has come to an end, or does not go on."""
    if session is None:
        return ()
    if session.state is SessionState.PAUSED:
        return ("resume", "inbox", "report", "diff")
    is_done = session.state is SessionState.CLOSED and session.outcome is Outcome.COMPLETE and not session.is_landed
    return ("merge", "pr", "report", "diff") if is_done else ("report", "diff")
