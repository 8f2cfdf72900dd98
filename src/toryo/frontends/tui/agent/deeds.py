"""What a person does in the chat, said through the front door in a thread, and what comes back of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from toryo.app.frontdoor import Done, FrontDoor
from toryo.app.offering import Offer
from toryo.domain.errors import ToryoError
from toryo.domain.landing import LandingMode
from toryo.domain.planning import Answer
from toryo.domain.session import Session
from toryo.frontends.faults import fault
from toryo.frontends.tui.agent import openings
from toryo.frontends.tui.agent.items import Item
from toryo.rules.understanding import Understood
from toryo.views.queueing import turn_words
from toryo.views.standing import waits_for

if TYPE_CHECKING:
    from toryo.frontends.tui.agent.view import ChatView

T = TypeVar("T")
_DECIDED_ALREADY = frozenset({"E210", "E212"})
_MODES = {
    "merge": (LandingMode.MERGE, "Merge it into your branch?", "'toryo undo' takes it back."),
    "pr": (LandingMode.PR, "Open a pull request?", "Its branch is pushed. 'toryo undo' closes it again."),
}


class Deeds:
    """Each is recorded before it is told that it is done; whatever is refused leaves everything as it was."""

    def __init__(self, view: "ChatView") -> None:
        self._view = view
        self._door = FrontDoor(view.face.root)
        self.is_stopping = False
        self._deciding: Item | None = None

    def do(self, deed: str, item: Item) -> None:
        """What a card offers, by its name."""
        match deed:
            case "approve":
                self.approve(item)
            case "reject":
                self.reject(item.session)
            case "resume":
                self.resume(item.session)
            case "discard":
                self.discard(item)
            case "leave":
                self._view.chat.leave(item.session)
                self._view.renew()
            case "merge" | "pr":
                self.land(item.session, deed)
            case _:
                openings.open_for(self._view.face, deed, item)

    # ── saying ───────────────────────────────────────────────────────────────

    def say(self, text: str, session_id: str | None) -> None:
        self._view.echo(text)

        def done(came: Done) -> None:
            self._view.echo("")
            self._view.following.bring_forward(came.session.id)
            if came.understood is Understood.SAY or "after" in came.says:
                self._view.chat.answer(came.session, came.says)
                self._view.renew()

        self._attempt(lambda: self._door.typed(text, session_id), done, self._back(text))

    def begin(self, text: str) -> None:
        """Something new, while something else is in front."""
        self._view.echo(text)

        def act() -> tuple[Session, int]:
            session = self._door.begin(text)
            queue = [place.id for place in self._door.queue()]
            return session, queue.index(session.id) if session.id in queue else 0

        def begun(came: tuple[Session, int]) -> None:
            session, before = came
            self._view.echo("")
            if before:
                self._view.remark(f"queued: {session.short} is planned{turn_words(before)}")
            else:
                self._view.following.bring_forward(session.id)

        self._attempt(act, begun, self._back(text))

    def _back(self, text: str) -> Callable[[ToryoError], None]:
        """What was refused can be sent again."""

        def back(error: ToryoError) -> None:
            self._view.echo("")
            self._view.give_back(text)
            self._refused(error)

        return back

    # ── deciding ─────────────────────────────────────────────────────────────

    def is_decided(self, item: Item) -> bool:
        """A moment ago, by whoever sits here: it is not on record yet, and a second press means nothing."""
        return self._deciding is not None and self._deciding.what == item.what

    def answer(self, item: Item, answers: tuple[Answer, ...] | None) -> None:
        if not self.is_decided(item):
            self._deciding = item
            self._attempt(lambda: self._door.answer(item.session, answers), self._decided)

    def approve(self, item: Item) -> None:
        if not self.is_decided(item):
            self._deciding = item
            self._attempt(lambda: self._door.approve(item.session), self._decided)

    def reject(self, session_id: str) -> None:
        from toryo.frontends.tui.dialogs import AskLine

        def told(why: str | None) -> None:
            if why:
                self._attempt(lambda: self._door.reject(session_id, why), self._decided)

        check = lambda text: "" if text.strip() else "say what should be different"  # noqa: E731 - nothing else uses it
        dialog = AskLine("Reject the plan", "What should be different? It is planned anew.", "", check)
        self._view.app.push_screen(dialog, told)

    def _decided(self, session: Session) -> None:
        self._view.following.bring_forward(session.id)

    def _refused(self, error: ToryoError) -> None:
        self._deciding = None
        if error.code in _DECIDED_ALREADY:
            self._view.remark(f"somebody else has decided meanwhile: {error.message}", is_trouble=True)
        else:
            self._view.face.tell_error(error)

    # ── stopping and going on ────────────────────────────────────────────────

    def stop(self, session_id: str | None) -> None:
        if self.is_stopping:
            return
        self.is_stopping = True
        self._view.renew()

        def act() -> Session | None:
            words = self._door.will_stop(session_id)
            self._view.app.call_from_thread(self._view.remark, words or "nothing is at work")
            return self._door.stop(session_id) if words else None

        def stopped(session: Session | None) -> None:
            self.is_stopping = False
            if session is not None:
                self._view.chat.offer_again(session.id)
                self._view.following.look_for_offers()
            self._view.renew()

        def failed(error: ToryoError) -> None:
            self.is_stopping = False
            self._view.face.tell_error(error)
            self._view.renew()

        self._attempt(act, stopped, failed)

    def resume(self, session_id: str) -> None:
        """What waits for an answer does not go on by that: it comes forward, with what it asks."""

        def act() -> Session:
            session = self._door.session(session_id)
            return session if waits_for(session) in ("answers", "approval") else self._door.resume(session_id)

        self._attempt(act, self._decided)

    def discard(self, item: Item) -> None:
        from toryo.frontends.tui.dialogs import Confirm

        offer = item.what
        assert isinstance(offer, Offer)
        lines = [f"{offer.short}  {offer.title}", "", "It is closed for good. Its branches and commits stay."]

        def agreed(is_agreed: bool | None) -> None:
            if is_agreed:
                self._attempt(lambda: self._door.discard(offer.id), lambda _: self._view.following.look_for_offers())

        self._view.app.push_screen(Confirm("Discard this session?", lines, "Discard", is_risky=True), agreed)

    def land(self, session_id: str, how: str) -> None:
        from toryo.frontends.tui.dialogs import Confirm

        mode, title, says = _MODES[how]

        def agreed(is_agreed: bool | None) -> None:
            if is_agreed:
                self._attempt(lambda: self._door.land(session_id, mode), self._decided)

        self._view.app.push_screen(Confirm(title, [says], "Yes"), agreed)

    # ── in a thread ──────────────────────────────────────────────────────────

    def look(
        self,
        act: Callable[[FrontDoor], T],
        then: Callable[[T], object],
        otherwise: Callable[[ToryoError], None] | None = None,
    ) -> None:
        self._attempt(lambda: act(self._door), then, otherwise)

    def _attempt(
        self,
        act: Callable[[], T],
        then: Callable[[T], object],
        otherwise: Callable[[ToryoError], None] | None = None,
    ) -> None:
        def acting() -> T | ToryoError:
            try:
                return act()
            except ToryoError as error:
                return error
            except Exception as error:  # noqa: BLE001 - what was typed must not be lost by a fault of ours
                return fault(error)

        def done(came: T | ToryoError) -> None:
            if isinstance(came, ToryoError):
                (otherwise or self._refused)(came)
            else:
                then(came)

        self._view.face.carry_out(acting, done)
