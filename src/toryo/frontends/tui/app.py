"""The app itself: it opens the screen, carries out what is wanted beside it, and says what went wrong."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.widget import Widget

from toryo.app.pausing import stoppable
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.frontends.faults import fault
from toryo.frontends.hangup import HUNG_UP, when_hung_up
from toryo.views.screen import clean

T = TypeVar("T")
_LONG_ENOUGH = 10.0
"""Seconds that what went wrong stays on the screen; it says what to do, too."""
_PATIENCE = 5.0
"""Seconds for what is being done to come to its end, where the terminal is gone."""
_WISHES = "wishes"


class ToryoApp(App[int]):
    """Keeps nothing: what it shows is read from the journal and from git, what is wanted is said through `app`."""

    TITLE = "Toryo"
    CSS_PATH = "styles.tcss"
    BINDINGS = [
        Binding("f1", "help", "Help"),
        Binding("question_mark", "help", "Help", show=False),
        Binding("f2", "turn_light", "Light or dark", show=False),
        Binding("f4", "settings", "Settings", show=False),
        Binding("f6", "spec_kit", "Spec Kit", show=False),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(
        self, project: Project, *, begins_with: str = "branches", when_loaded: Callable[[], None] = lambda: None
    ) -> None:
        """`when_loaded` is called whenever more of the app has come to stay; for whoever owns the process."""
        super().__init__()
        self.animation_level = "none"  # every step on the way would be drawn, and over a slow line waited for
        self._project = project
        self.begins_with = begins_with
        self.when_loaded = when_loaded
        self._remembered = ""
        self._is_left = threading.Event()
        self._given_to: WeakKeyDictionary[events.Key, Widget] = WeakKeyDictionary()
        """Who had the keys when each was pressed."""

    @property
    def root(self) -> Path:
        """The repository's main checkout: `open_project` takes it."""
        return self._project.place.root

    def on_mount(self) -> None:
        from toryo.frontends.tui.main import MainScreen

        self._heed_the_end()
        self._remember_theme()
        self.push_screen(MainScreen(self._project, self.begins_with))

    def _remember_theme(self) -> None:
        from toryo.app.appearance import theme_before

        if (known := theme_before()) in self.available_themes:
            self.theme = known
        self._remembered = self.theme
        self.theme_changed_signal.subscribe(self, lambda _: self._keep_theme())

    def _keep_theme(self) -> None:
        from toryo.app.appearance import keep_theme

        if self.theme != self._remembered:
            self._remembered = self.theme
            self.carry_out(lambda: keep_theme(self._remembered))

    def on_unmount(self) -> None:
        self._is_left.set()

    def action_turn_light(self) -> None:
        self.theme = "textual-dark" if self.theme == "textual-light" else "textual-light"

    def action_help(self) -> None:
        from toryo.frontends.tui.helping import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def action_settings(self) -> None:
        from toryo.frontends.tui.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def action_spec_kit(self) -> None:
        from toryo.frontends.tui.speckit import SpecKitScreen

        if not isinstance(self.screen, SpecKitScreen):
            self.push_screen(SpecKitScreen(self))

    # ── keys ─────────────────────────────────────────────────────────────────

    @property
    def _has_keys(self) -> Widget:
        return self.focused or self.screen

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded:
            self._given_to[event] = self._has_keys
        await super().on_event(event)

    async def _on_key(self, event: events.Key) -> None:
        """Many come at once where a line is slow: what was typed behind a key that opens something is for that."""
        if self._given_to.get(event, self._has_keys) is not self._has_keys:
            event.prevent_default()
            again = event.copy()
            again.set_sender(self)
            self.post_message(again)

    # ── leaving ──────────────────────────────────────────────────────────────

    def _heed_the_end(self) -> None:
        """Told to end, it leaves the terminal as it was; where that is gone, there is nothing to leave."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.exit, 128 + number)
        when_hung_up(self._be_gone)

    def _be_gone(self) -> None:
        """At once: whoever still draws would wait for ever for somebody to look."""
        give_up = time.monotonic() + _PATIENCE
        while time.monotonic() < give_up and any(
            worker.group == _WISHES and worker.is_running for worker in list(self.workers)
        ):
            time.sleep(0.05)
        os._exit(HUNG_UP)

    # ── doing something ──────────────────────────────────────────────────────

    def carry_out(self, act: Callable[[], T], then: Callable[[T], object] | None = None) -> None:
        """Does it in a thread of its own, so that keys are answered meanwhile; `then` gets what came of it.

        Whoever closes the app waits until it is done, but not while it only waits for somebody else.
        """

        def carrying_out() -> None:
            try:
                with stoppable(self._is_left):
                    done = act()
            except KeyboardInterrupt:
                return
            except ToryoError as error:
                self.call_from_thread(self.tell_error, error)
            except Exception as error:  # noqa: BLE001 - one thing that went wrong must not close the app
                self.call_from_thread(self.tell_error, fault(error))
            else:
                if then is not None:
                    self.call_from_thread(then, done)

        self.run_worker(carrying_out, thread=True, group=_WISHES, exit_on_error=False)

    def tell_error(self, error: ToryoError) -> None:
        lines = [f"{error.message} ({error.code})", *error.details[:3]]
        lines += [f"kept: {error.kept}"] if error.kept else []
        lines += [f"hint: {error.hint}"] if error.hint else []
        self.notify(clean("\n".join(lines)), severity="error", timeout=_LONG_ENOUGH, markup=False)

    def tell(self, text: str) -> None:
        self.notify(clean(text), markup=False)
