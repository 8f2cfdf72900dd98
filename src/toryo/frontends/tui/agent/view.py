"""The chat as a person has it before them: it shows what happens, and takes what is typed."""

import time

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from toryo.app.following import Heard
from toryo.app.readiness import Lack
from toryo.domain.session import SessionState
from toryo.frontends.tui.agent import openings
from toryo.frontends.tui.agent.asking import QuestionsCard
from toryo.frontends.tui.agent.attending import Attending
from toryo.frontends.tui.agent.banner import Banner, NewBelow
from toryo.frontends.tui.agent.chat import Chat
from toryo.frontends.tui.agent.composer import Composer
from toryo.frontends.tui.agent.deeds import Deeds
from toryo.frontends.tui.agent.following import Following
from toryo.frontends.tui.agent.hints import enter_words
from toryo.frontends.tui.agent.items import Item
from toryo.frontends.tui.agent.planned import PlanCard
from toryo.frontends.tui.agent.shown import Wanted
from toryo.frontends.tui.agent.talk import Talk
from toryo.frontends.tui.pane import Pane
from toryo.rules.keylines import keepable
from toryo.rules.phrases import means_go
from toryo.views.entries import Entry, Kind

_AT_MOST_EVERY = 0.1
_REPORT_EVERY = 120.0
_OVERSIGHT = 0.7
"""Seconds after an Esc that did something else: pressed twice, it still stops nobody."""
_YES_IS_MEANT = 0.4
"""Seconds after a lone y: by then nobody goes on typing a word."""


class ChatView(Widget):
    """Kept in step with the chat, some times a second at most, and not at all while nobody looks."""

    BINDINGS = [
        Binding("escape", "stop", "Stop", tooltip="Stop all agents and pause; everything is kept, and it can go on"),
        Binding("ctrl+n", "begin_anew", "New", tooltip="Say something new, whatever is at work"),
        Binding("ctrl+o", "sessions", "Sessions", tooltip="Another session that is at work, waits or is unfinished"),
        Binding("ctrl+up", "to_cards", "Cards", tooltip="Go up to cards and tasks; ↑ ↓ move on, Esc comes back"),
        Binding("pageup", "page(-1)", "Read further up", show=False),
        Binding("pagedown", "page(1)", "Read further down", show=False),
        Binding("end,ctrl+end", "end_of_talk", "To the end of the chat", show=False),
    ]
    DEFAULT_CSS = """
    ChatView { layout: vertical; height: 1fr; }
    """

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self._pane = pane
        self.face = pane.face
        self.chat = Chat()
        self.deeds = Deeds(self)
        self.following = Following(self)
        self._attending = Attending(self)
        self.talk, self.composer, self._banner, self._below = Talk(), Composer(), Banner(), NewBelow()
        self._lacks: tuple[Lack, ...] | None = None
        """None: nobody has looked yet."""
        self._is_new = False
        """The next text begins something new, whatever is in front."""
        self._renewing: Timer | None = None
        self._is_shown, self._is_stale, self._is_typed = False, False, False
        self._escaped = 0.0
        self._can: tuple[bool | None, ...] = ()

    def compose(self) -> ComposeResult:
        yield self.talk
        yield self._below
        yield self._banner
        yield self.composer

    def on_mount(self) -> None:
        self.following.open()
        self.face.carry_out(lambda: openings.typed_lines(self.face.root), self.composer.recall.fill)
        self.set_interval(_REPORT_EVERY, self.following.report)
        self.watch(self.talk, "scroll_y", self._scrolled)

    # ── hearing and showing ──────────────────────────────────────────────────

    def hear(self, heard: Heard) -> None:
        self.following.hear(heard)

    @property
    def is_looked_at(self) -> bool:
        return self._pane.is_looked_at

    def come_forward(self) -> None:
        self._attend()
        self.call_after_refresh(self._attending.begin)
        if self._is_stale:
            self.renew()
        else:
            self._attending.overhear()

    def renew(self) -> None:
        """Soon, with all that comes until then."""
        self._is_stale = True
        if self._renewing is None:
            self._renewing = self.set_timer(_AT_MOST_EVERY, self._renew)

    def _renew(self) -> None:
        self._renewing = None
        if self._is_shown and not self.is_looked_at:
            return
        self._is_stale = False
        was_at_end = self.talk.is_at_end or not self._is_shown
        self._is_shown = True
        if self.talk.show(self.chat.items()) and not was_at_end:
            self._below.display = True
        self._dress()
        self._attending.overhear()

    def _dress(self) -> None:
        """Everything around the chat that follows from how it stands."""
        waiting = self.chat.waiting
        self._banner.show(self._lacks or ())
        self.composer.disabled = bool(self._lacks)
        entry = waiting.what if waiting and isinstance(waiting.what, Entry) else None
        words = enter_words(self.chat.session, entry, is_new=self._is_new, is_stopping=self.deeds.is_stopping)
        self.composer.has_begun = self._is_new
        self.composer.border_title = "input is disabled" if self._lacks else words
        self.composer.leads_up = self.chat.ends_with_card
        was, self._can = self._can, tuple(self.check_action(one, ()) for one in ("begin_anew", "stop", "to_cards"))
        if self._can != was:
            self.refresh_bindings()
        self._attend()

    def _attend(self) -> None:
        """Somebody has the keys: where one types, or what says why one cannot."""
        focused = self.screen.focused
        # What the other mode had is not let go before it is hidden, and letters may be typed by then.
        is_elsewhere = focused is None or self not in focused.ancestors
        is_lost = is_elsewhere or focused is (self.composer if self._lacks else self._banner)
        if self.is_looked_at and self.screen.is_current and is_lost:
            self.screen.set_focus(self._banner if self._lacks else self.composer)

    def _scrolled(self) -> None:
        if self._below.display and self.talk.is_at_end:
            self._below.display = False
        elif self.talk.is_at_top:
            self.talk.show_more()

    def on_hide(self) -> None:
        self._attending.end()

    def found(self, lacks: tuple[Lack, ...]) -> None:
        """What is missing; nothing: it can begin at once."""
        self._lacks = lacks
        self._dress()

    # ── what deeds want of the view ──────────────────────────────────────────

    def echo(self, text: str) -> None:
        self.chat.echo(text)
        if text:
            self.talk.go_to_end()
        self.renew()

    def remark(self, text: str, *, is_trouble: bool = False) -> None:
        self.chat.remark(text, is_trouble=is_trouble)
        self.renew()

    def give_back(self, text: str) -> None:
        if not self.composer.text:
            self.composer.put(text)

    # ── typing ───────────────────────────────────────────────────────────────

    @on(Composer.Sent)
    def _sent(self, event: Composer.Sent) -> None:
        text = event.text if event.text.strip() else ""
        waiting, session = self.chat.waiting, self.chat.session
        if keepable(text) != text:
            self.remark("a key is never typed where everybody can read it: F4 opens the settings", is_trouble=True)
            return
        if text:
            self._keep(text)
        if self._is_new:
            self._is_new = not text
            if text:
                self.deeds.begin(text)
            self._dress()
        elif waiting is not None and not self.deeds.is_decided(waiting):
            self._sent_about(waiting, text)
        elif text:
            self.deeds.say(text, self.chat.front)
        elif session is not None and session.state is SessionState.PAUSED:
            self.deeds.resume(session.id)

    def _sent_about(self, waiting: Item, text: str) -> None:
        """Nothing at all is a yes: to what is marked, to the plan; but only to what somebody has before them."""
        card = self.talk.widget_of(waiting.key)
        if isinstance(card, QuestionsCard):
            if missing := card.take_words(text) if text else card.submit():
                self.remark(missing)
        elif isinstance(card, PlanCard) and (not text or means_go(text)):
            self.deeds.approve(waiting)
        elif text:
            self.deeds.say(text, waiting.session)

    def _keep(self, text: str) -> None:
        if kept := openings.kept(text):
            self.composer.recall.add(kept)
            self.face.carry_out(lambda: openings.keep_line(self.face.root, kept))

    @on(TextArea.Changed)
    def _typed(self) -> None:
        if bool(self.composer.text) != self._is_typed:  # Esc means something else now
            self._is_typed = not self._is_typed
            self.refresh_bindings()
        if self.composer.text in ("y", "Y") and self.chat.waiting and not self._is_new:
            self.set_timer(_YES_IS_MEANT, self._yes)

    def _yes(self) -> None:
        waiting = self.chat.waiting
        is_plan = waiting and isinstance(waiting.what, Entry) and waiting.what.kind is Kind.PLAN
        if waiting and is_plan and self.composer.text in ("y", "Y"):
            self.composer.clear()
            self.deeds.approve(waiting)

    @on(QuestionsCard.Answered)
    def _answered(self, event: QuestionsCard.Answered) -> None:
        self.deeds.answer(event.item, event.answers)
        self.composer.focus()

    @on(Wanted)
    def _wanted(self, event: Wanted) -> None:
        self.deeds.do(event.deed, event.item)

    # ── keys ─────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        match action:
            case "begin_anew":
                return self.following.is_front_open and not self._lacks
            case "stop":
                return self.following.goes_on
            case "to_cards":
                return self.talk.has_stops
            case _:
                return True

    def on_key(self, event: events.Key) -> None:
        """Letters go to where one types, wherever the keys are; and so does what was typed behind them."""
        is_free = event.is_printable and event.key not in self.screen.active_bindings
        if is_free and event.character and not self.composer.disabled:
            event.stop()
            self.screen.set_focus(self.composer)
            self.composer.insert(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """As letters do."""
        if self.screen.focused is not self.composer and not self.composer.disabled:
            event.stop()
            self.screen.set_focus(self.composer)
            self.composer.insert(event.text)

    @on(Composer.Left)
    def _put_aside(self) -> None:
        self._escaped = time.monotonic()
        if self.composer.text:
            self.composer.put_aside()
        else:
            self._is_new = False
            self._dress()

    def action_stop(self) -> None:
        is_oversight = time.monotonic() - self._escaped < _OVERSIGHT
        if not is_oversight:
            self.deeds.stop(self.following.at_work)

    def action_begin_anew(self) -> None:
        self._is_new = not self._is_new
        self._dress()
        self.composer.focus()

    def action_sessions(self) -> None:
        openings.choose_session(self)

    def action_to_cards(self) -> None:
        self.talk.focus_last()

    @on(Composer.Up)
    def _up(self) -> None:
        """To what waits for an answer, also where other cards are below it."""
        self.talk.focus_last(self.chat.waiting.key if self.chat.waiting else "")

    @on(Talk.Ended)
    def _ended(self) -> None:
        self._escaped = time.monotonic()
        self.composer.focus()

    def action_page(self, step: int) -> None:
        self.talk.scroll_relative(y=step * max(1, self.talk.size.height - 2), animate=False)

    @on(NewBelow.Pressed)
    def action_end_of_talk(self) -> None:
        self.talk.go_to_end()
        self._below.display = False
