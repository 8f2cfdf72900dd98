"""Which session is in front, as things happen: what somebody began, what waits for them, what is at work."""

import time
from typing import TYPE_CHECKING

from toryo.app.conversations import conversation_of
from toryo.app.following import Heard, News
from toryo.app.frontdoor import FrontDoor
from toryo.app.offering import Offer
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session, SessionState
from toryo.views.columns import clipped
from toryo.views.conversation import Conversation, overview_entry
from toryo.views.standing import waits_for

if TYPE_CHECKING:
    from toryo.frontends.tui.agent.view import ChatView

_OVER = (SessionState.CLOSED, SessionState.LANDING)
_Opened = tuple[Session | None, list[Offer], Conversation | None]


class Following:
    """Keeps the chat up with the journal; what it missed is read anew."""

    def __init__(self, view: "ChatView") -> None:
        self._view, self._chat = view, view.chat
        self._heard = Heard()
        self._seqs: dict[str, int] = {}
        """How far the journal is known to be."""
        self._loading: set[str] = set()

    # ── coming in ────────────────────────────────────────────────────────────

    def open(self) -> None:
        root = self._view.face.root

        def look(door: FrontDoor) -> _Opened:
            latest = door.latest()
            return latest, door.unfinished(), conversation_of(root, latest.id) if latest else None

        self._view.deeds.look(look, self._opened)

    def _opened(self, found: _Opened) -> None:
        latest, offers, conversation = found
        self._chat.offers = tuple(offers)
        if latest is not None and conversation is not None:
            self._put(conversation)
            is_asked = waits_for(latest) in ("answers", "approval")
            if self._chat.front is None and (is_asked or latest.id not in {offer.id for offer in offers}):
                self._chat.front = latest.id
        self._view.renew()

    # ── hearing ──────────────────────────────────────────────────────────────

    def hear(self, heard: Heard) -> None:
        self._heard = heard
        for news in heard.news:
            self._seqs[news.session.id] = news.session.seq
        for missed in self._chat.hear(heard.news):
            self.load(missed)
        if any(_rests_otherwise(news) for news in heard.news):
            self.look_for_offers()
        self._follow_work()
        self._tell_of_others()
        self._view.renew()

    def _follow_work(self) -> None:
        """What goes on comes forward by itself where nothing else is in front, and nobody is typing."""
        desk = self._heard.desk
        if desk.session is None or desk.session.id == self._chat.front:
            return
        if not desk.is_conducted and desk.session.id not in {news.session.id for news in self._heard.news}:
            return
        in_front = self._chat.session
        is_free = in_front is None or in_front.state in _OVER
        if is_free and not self._view.composer.text:
            self.bring_forward(desk.session.id)

    def _tell_of_others(self) -> None:
        for news in self._heard.news:
            session, waits = news.session, waits_for(news.session)
            is_news = waits and (news.before is None or waits_for(news.before) != waits)
            is_seen = session.id == self._chat.front or session.id in self._loading
            if is_news and self._chat.front and not is_seen:
                self._view.remark(f"{session.short} {clipped(session.title, 40)} waits for you: Ctrl+O leads to it")

    @property
    def at_work(self) -> str | None:
        """What an Esc is about: the session in front if it goes on; None: whatever does."""
        session = self._chat.session
        is_at_rest = session is None or session.state in (SessionState.PAUSED, *_OVER)
        return None if is_at_rest or session is None else session.id

    @property
    def is_front_open(self) -> bool:
        """What is typed is about a session that is not over."""
        session = self._chat.session
        return session is not None and session.state not in _OVER

    @property
    def goes_on(self) -> bool:
        """There is something that can be stopped."""
        desk = self._heard.desk
        return desk.is_conducted or desk.queued > 0

    def report(self) -> None:
        """How it stands, every other minute while agents work, without asking anybody."""
        session = self._chat.session
        if session is not None and session.state is SessionState.EXECUTING:
            self._chat.oversee(overview_entry(session, time.time()), session.id)
            self._view.renew()

    # ── coming forward ───────────────────────────────────────────────────────

    def bring_forward(self, session_id: str, *, alone: bool = False) -> None:
        if self._chat.knows(session_id) and not alone:
            self._chat.front = session_id
            self._view.renew()
        else:
            self.load(session_id, in_front=True, alone=alone)

    def load(self, session_id: str, *, in_front: bool = False, alone: bool = False) -> None:
        if session_id in self._loading:
            return
        self._loading.add(session_id)
        root = self._view.face.root

        def loaded(conversation: Conversation) -> None:
            self._loading.discard(session_id)
            self._put(conversation, alone=alone)
            if in_front:
                self._chat.front = session_id
            self._view.renew()

        def failed(error: ToryoError) -> None:
            self._loading.discard(session_id)  # what cannot be read now may be in a moment
            self._view.face.tell_error(error)

        self._view.deeds.look(lambda _: conversation_of(root, session_id), loaded, failed)

    def _put(self, conversation: Conversation, *, alone: bool = False) -> None:
        self._chat.put(conversation, alone=alone)
        session = conversation.session
        if session is not None and conversation.seq < self._seqs.get(session.id, 0):
            self.load(session.id)

    def look_for_offers(self) -> None:
        def looked(offers: list[Offer]) -> None:
            self._chat.offers = tuple(offers)
            self._view.renew()

        self._view.deeds.look(lambda door: door.unfinished(), looked)


def _rests_otherwise(news: News) -> bool:
    """It has come to rest, or goes on: what is offered may be something else now."""
    before, now = news.before, news.session
    return before is None or (before.state, before.queued_at) != (now.state, now.queued_at)
