"""The one screen: two modes that Tab changes between, and how everything stands below."""

import asyncio
from contextlib import aclosing
from importlib import import_module
from typing import TYPE_CHECKING, cast

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from toryo.app.following import Follower, Heard
from toryo.app.project import Project
from toryo.domain.session import Session
from toryo.frontends.tui.agent.pane import AgentPane
from toryo.frontends.tui.branches.pane import BranchPane
from toryo.frontends.tui.keyline import KeyLine
from toryo.frontends.tui.pane import Pane
from toryo.frontends.tui.statusbar import StatusBar
from toryo.frontends.tui.titlebar import TitleBar
from toryo.frontends.tui.watching.hearing import HearingScreen
from toryo.views.screen import clean

if TYPE_CHECKING:
    from toryo.app.waiting import Waiting
    from toryo.frontends.tui.app import ToryoApp


class MainScreen(Screen[None]):
    """Both modes are there from the beginning; changing between them only changes which one is shown."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Who has the keys shows that by its own style: nothing else is drawn anew for it, and least of all everything."""
    AUTO_FOCUS = ""  # the mode that is shown says who gets the keys; the first widget may be the other one's
    BINDINGS = [
        Binding("tab", "other_mode", "Other mode", priority=True),
        Binding("f3", "inbox", "Inbox"),
        Binding("f5", "tasks", "Tasks"),
    ]

    def __init__(self, project: Project, begins_with: str) -> None:
        super().__init__()
        self._place = project.place
        self._panes: dict[str, Pane] = {"branches": BranchPane(), "agent": AgentPane()}
        self._mode = begins_with
        self.heard = Heard()
        self.waiting: Waiting | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(self._place.root.name)
        yield from self._panes.values()
        yield StatusBar()
        yield KeyLine()

    def on_mount(self) -> None:
        self._show()
        self._follow()
        self.call_after_refresh(self._heed)

    def on_screen_resume(self) -> None:
        """Who had the keys may have gone meanwhile."""
        if self.focused is None:
            self._panes[self._mode].come_forward()

    @property
    def mode(self) -> str:
        return self._mode

    def action_turn_to(self, mode: str) -> None:
        self.turn_to(mode)

    def action_other_mode(self) -> None:
        self.turn_to("agent" if self._mode == "branches" else "branches")

    def turn_to(self, mode: str) -> None:
        self._mode = mode
        self._show()

    def action_inbox(self) -> None:
        from toryo.frontends.tui.watching.inbox import InboxScreen

        self.app.push_screen(InboxScreen(self.waiting))

    def action_tasks(self) -> None:
        """Of the session at hand; where nothing is unfinished, of the latest."""
        if session := self.heard.desk.session:
            self._show_tasks(session)
            return
        from toryo.app.frontdoor import FrontDoor

        cast("ToryoApp", self.app).carry_out(FrontDoor(self._place.root).latest, self._show_tasks)

    def _show_tasks(self, session: Session | None) -> None:
        from toryo.frontends.tui.watching.tasks import SessionScreen

        if session is None:
            self.notify("there is no session yet: say in agent mode what you want", markup=False)
        else:
            self.app.push_screen(SessionScreen(session.id))

    def _show(self) -> None:
        for name, pane in self._panes.items():
            pane.display = name == self._mode
        self.query_one(TitleBar).mode = self._mode
        self._panes[self._mode].come_forward()

    @work(exclusive=True, group="following")
    async def _follow(self) -> None:
        async with aclosing(Follower(self._place).follow()) as heard:
            async for each in heard:
                self._hear(each)

    def _hear(self, heard: Heard) -> None:
        if self._closing:
            return  # what would show it is going
        self.heard = heard
        if heard.trouble:
            self.notify(clean(heard.trouble), severity="error", markup=False)
        self.query_one(StatusBar).hear(heard)
        for pane in self._panes.values():
            pane.hear(heard)
        for screen in self._in_front():
            screen.hear(heard)

    @work(exclusive=True, group="heeding")
    async def _heed(self) -> None:
        # Loaded once something is on the screen: nobody waits for it.
        await asyncio.to_thread(import_module, "toryo.app.heeding")
        from toryo.app.heeding import Heeding

        cast("ToryoApp", self.app).when_loaded()
        async with aclosing(Heeding(self._place).follow()) as found:
            async for waiting in found:
                self.waiting = waiting
                if self._closing:
                    return
                self.query_one(TitleBar).waiting = waiting.count
                for screen in self._in_front():
                    screen.hear_waiting(waiting)

    def _in_front(self) -> list[HearingScreen]:
        return [screen for screen in self.app.screen_stack if isinstance(screen, HearingScreen)]
