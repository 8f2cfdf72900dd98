"""Progress while a session runs: one live line per active task on a terminal, plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from toryo.domain import events as e
from toryo.domain.session import Session
from toryo.frontends.cli.drawing import Foot
from toryo.frontends.cli.talking import clean, printable, say
from toryo.rules.durations import say_duration
from toryo.views.collisions import collisions_words
from toryo.views.columns import clipped
from toryo.views.highlights import OVERVIEW_EVERY as REPORT_EVERY
from toryo.views.highlights import is_important, overview
from toryo.views.moments import clock_time
from toryo.views.words import event_words, state_words

if TYPE_CHECKING:
    from rich.console import RenderableType


class Progress(Protocol):
    def watch(self, session: Session, events: list[e.Event]) -> None: ...

    def note(self, text: str) -> None: ...

    def hear(self, question: str, piece: str) -> None:
        """A model was asked (empty piece), or said something."""


@contextmanager
def progress(session: Session, *, quiet: bool, verbose: bool) -> Iterator[Progress]:
    if quiet:
        yield Silent()
    elif sys.stderr.isatty() and not verbose:
        with LiveLines(session) as live:
            yield live
    else:
        with PlainLines(session, verbose) as plain:
            yield plain


class Silent:
    def watch(self, session: Session, events: list[e.Event]) -> None:
        pass

    def note(self, text: str) -> None:
        say(text)

    def hear(self, question: str, piece: str) -> None:
        pass


class Listening:
    """What a model is being asked and has said of its reply so far; replies come in pieces, from another thread."""

    def __init__(self) -> None:
        self._replies: dict[str, tuple[float, str]] = {}

    def hear(self, question: str, piece: str) -> None:
        begun, text = self._replies.get(question, (time.time(), ""))
        self._replies[question] = (begun, (text + piece)[-_MOST_HEARD:]) if piece else (time.time(), "")

    def forget(self) -> None:
        self._replies.clear()

    def lines(self, width: int, now: float) -> list[str]:
        """One line that says so, and the last lines of what was said."""
        shown = []
        for question, (begun, text) in list(self._replies.items()):
            shown.append(f"asking the model: {question}, {say_duration(max(now - begun, 1.0))}")
            last = [line for line in clean(text).splitlines() if line.strip()][-3:]
            shown += [f"  {clipped(line.strip(), width)}" for line in last]
        return shown


_MOST_HEARD = 4000
_OFTEN = ("review",)
"""Questions that come with every run: nobody waits for the answer alone."""


class PlainLines:
    """One line per event that matters, and a summary every two minutes."""

    def __init__(self, session: Session, verbose: bool, report_every: float = REPORT_EVERY) -> None:
        self._session, self._verbose, self._report_every = session, verbose, report_every
        self._ended = threading.Event()

    def __enter__(self) -> "PlainLines":
        threading.Thread(target=self._report, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def _report(self) -> None:
        while not self._ended.wait(self._report_every):
            self.note(f"{clock_time(time.time())} {overview(self._session)}")

    def watch(self, session: Session, events: list[e.Event]) -> None:
        self._session = session
        for event in events:
            if self._verbose or is_important(event):
                say(f"{clock_time(event.at)} {event_words(session, event)}")

    def note(self, text: str) -> None:
        say(text)

    def hear(self, question: str, piece: str) -> None:
        if not piece and (self._verbose or question not in _OFTEN):
            say(f"{clock_time(time.time())} asking the model: {question}")


class LiveLines:
    """Redrawn a few times a second; what matters scrolls by above."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._listening = Listening()
        self._foot = Foot(self._render)

    def __enter__(self) -> "LiveLines":
        self._foot.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._foot.__exit__()

    def hear(self, question: str, piece: str) -> None:
        self._listening.hear(question, piece)

    def watch(self, session: Session, events: list[e.Event]) -> None:
        self._session = session
        if any(getattr(event, "calls", ()) for event in events):
            self._listening.forget()
        for event in events:
            if is_important(event) and not isinstance(event, e.RunPlanned):
                self.note(f"{clock_time(event.at)} {event_words(session, event)}")

    def note(self, text: str) -> None:
        self._foot.print(text, _style_of(text))

    def _render(self, width: int, height: int) -> "RenderableType":
        from rich.console import Group
        from rich.spinner import Spinner
        from rich.text import Text

        session, now = self._session, time.time()
        took = say_duration(max(now - session.opened_at, 1.0))
        head = f"{clipped(printable(session.title), width // 2)} · {took} · {overview(session)}"
        lines: list[RenderableType] = [Text(clipped(head, width - 1), style="bold")]
        lines += [Text(line, style="dim") for line in self._listening.lines(width - 4, now)]
        room = max(20, width - 44)
        for number in list(session.live)[: max(3, height - 4)]:
            task = session.tasks[number]
            run = task.runs[-1]
            since = say_duration(max(now - (run.started_at or run.planned_at), 1.0))
            title = task.plan.title
            ahead = f"will collide {collides}" if (collides := collisions_words(session, task)) else title
            words = f"{task.plan.key:<8} {state_words(session, task):<20} {since:>7}  {clipped(printable(ahead), room)}"
            lines.append(Spinner("dots", Text(words)))
        return Group(*lines)


def _style_of(text: str) -> str:
    if "merged as" in text or "COMPLETE" in text.split():
        return "green"
    if "blocked" in text or "will collide" in text or "not merged" in text or "failed" in text or "NO_EVIDENCE" in text:
        return "yellow"
    return ""
