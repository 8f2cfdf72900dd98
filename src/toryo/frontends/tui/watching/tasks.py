"""The tasks of a session, live: one line each, and a key to look at one closely."""

import time
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from toryo.app.following import Heard
from toryo.app.frontdoor import FrontDoor
from toryo.domain.session import Session
from toryo.frontends.tui.keyline import KeyLine
from toryo.frontends.tui.watching.hearing import HearingScreen
from toryo.frontends.tui.watching.task import TaskScreen
from toryo.frontends.tui.watching.taskdeeds import is_possible, stop_session
from toryo.views.columns import columns
from toryo.views.screen import clean
from toryo.views.tasktable import HEADS, task_cells, tasks_line

_LOOK_AGAIN = 1.0
_BESIDE = 4
"""Cells that the list itself takes, with its scrollbar."""


class SessionScreen(HearingScreen):
    """In the order of the plan; what is at work, and what is blocked, has a mark."""

    BINDINGS = [
        Binding("enter", "look", "Look", tooltip="Output, changes, checks and evidence of the task", priority=True),
        Binding("s", "stop", "Stop", tooltip="Stop the session; everything is kept"),
        Binding("f5", "app.pop_screen", "Back", show=False),
    ]
    DEFAULT_CSS = """
    SessionScreen {
        #about { height: 2; background: $panel; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #heads { height: 1; text-wrap: nowrap; text-style: bold; color: $text-muted; }
        OptionList {
            height: 1fr; border: none; padding: 0; background: $background; scrollbar-size-vertical: 1;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
    }
    """

    def __init__(self, session_id: str) -> None:
        super().__init__()
        self._session_id = session_id
        self._session: Session | None = None
        self._head: tuple[str, ...] = ()
        self._lines: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static(id="about", markup=False)
        yield Static(id="heads", markup=False)
        yield OptionList(markup=False, compact=True)
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self.set_interval(_LOOK_AGAIN, self._show)
        self.face.carry_out(partial(FrontDoor(self.face.root).session, self._session_id), self._know)

    def hear(self, heard: Heard) -> None:
        for news in heard.news:
            if news.session.id == self._session_id:
                self._know(news.session)

    def _know(self, session: Session) -> None:
        if self.is_attached and not (self._session and self._session.seq >= session.seq):
            self._session = session
            self._show()
            self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        del event
        self._show()

    def _show(self) -> None:
        session = self._session
        if session is None:
            return
        rows = [task_cells(session, task, time.time()) for task in session.tasks.values()]
        heads, *lines = [clean(line) for line in columns(rows, HEADS, max(40, self.size.width - _BESIDE))]
        self._show_head(clean(f"{session.title}  (session {session.short})"), clean(tasks_line(session)), heads)
        self._show_lines(lines)

    # Only what is different is drawn anew: mostly that is nothing, and with a thousand tasks a few are at work.

    def _show_head(self, *head: str) -> None:
        if head == self._head:
            return
        self._head, (title, stands, heads) = head, head
        about = Text(no_wrap=True, overflow="ellipsis").append(f"{title}\n", "bold").append(stands)
        self.query_one("#about", Static).update(about)
        self.query_one("#heads", Static).update(Text(heads, no_wrap=True))

    def _show_lines(self, lines: list[str]) -> None:
        listed = self.query_one(OptionList)
        if len(lines) != len(self._lines):
            chosen = listed.highlighted
            listed.clear_options()
            listed.add_options(Option(_line(line)) for line in lines)
            listed.highlighted = min(chosen or 0, len(lines) - 1) if lines else None
        else:
            for place, line in enumerate(lines):
                if line != self._lines[place]:
                    listed.replace_option_prompt_at_index(place, _line(line))
        self._lines = lines

    # ── doing something ──────────────────────────────────────────────────────

    @on(OptionList.OptionSelected)
    def action_look(self) -> None:
        place = self.query_one(OptionList).highlighted
        if self._session and place is not None:
            task = list(self._session.tasks.values())[place]
            self.face.push_screen(TaskScreen(self._session_id, task.plan.key))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stop":
            first = next(iter(self._session.tasks.values()), None) if self._session else None
            return is_possible("stop", self._session, first)
        return super().check_action(action, parameters)

    def action_stop(self) -> None:
        stop_session(self.face, self._session_id)


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")
