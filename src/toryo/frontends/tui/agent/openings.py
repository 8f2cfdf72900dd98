"""What the chat opens beside itself: a task, a report, a diff, another session; and what was typed before."""

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from toryo.app.differing import changes_so_far
from toryo.app.offering import Offer, Place
from toryo.app.project import open_project
from toryo.app.remembering import as_kept, typed_before
from toryo.frontends.tui.agent.items import Item
from toryo.rules.judging import session_outcome
from toryo.views.columns import clipped
from toryo.views.entries import Entry
from toryo.views.report import report

if TYPE_CHECKING:
    from toryo.frontends.tui.agent.view import ChatView
    from toryo.frontends.tui.app import ToryoApp

# ── what was typed before ────────────────────────────────────────────────────


def typed_lines(root: Path) -> list[str]:
    with closing(open_project(root)) as project:
        return typed_before(project).lines()


def keep_line(root: Path, text: str) -> None:
    with closing(open_project(root)) as project:
        typed_before(project).keep(text)


def kept(text: str) -> str | None:
    """What of it may be remembered; None: nothing."""
    return as_kept(text)


# ── screens ──────────────────────────────────────────────────────────────────


def open_for(app: "ToryoApp", wanted: str, item: Item) -> None:
    match wanted:
        case "inbox":
            app.run_worker(app.screen.run_action("screen.inbox"))
        case "task":
            _open_task(app, item)
        case "report":
            app.carry_out(lambda: _report(app.root, item.session), lambda text: _show(app, "Report", text))
        case "diff":
            app.carry_out(lambda: changes_so_far(app.root, item.session), lambda lines: _show(app, "Diff", lines))


def _open_task(app: "ToryoApp", item: Item) -> None:
    from toryo.frontends.tui.watching.task import TaskScreen

    assert isinstance(item.what, Entry)
    app.push_screen(TaskScreen(item.session, item.what.task))


def _show(app: "ToryoApp", title: str, text: str | list[str]) -> None:
    from toryo.frontends.tui.agent.documents import DocumentScreen

    app.push_screen(DocumentScreen(title, text))


def _report(root: Path, session_id: str) -> str:
    with closing(open_project(root)) as project:
        session = project.session(session_id)
        return report(session, session_outcome(session), time.time())


# ── other sessions ───────────────────────────────────────────────────────────


def choose_session(view: "ChatView") -> None:
    from toryo.frontends.tui.dialogs import Choose

    def choose(found: tuple[list[Place], list[Offer]]) -> None:
        options = dict(_options(*found))
        if not options:
            view.face.tell("there is no other session that is unfinished")
            return
        view.app.push_screen(Choose("Which session?", list(options.items())), chosen)

    def chosen(session_id: str | None) -> None:
        if session_id:
            view.following.bring_forward(session_id, alone=True)

    view.deeds.look(lambda door: (door.queue(), door.unfinished()), choose)


def _options(places: list[Place], offers: list[Offer]) -> list[tuple[str, str]]:
    queued = [(one.id, f"{one.short}  {clipped(one.title, 40)}  {_turn(one.place)}") for one in places]
    return [*queued, *((one.id, f"{one.short}  {clipped(one.title, 40)}  {clipped(one.stands, 40)}") for one in offers)]


def _turn(place: int) -> str:
    return f"waits for its turn, number {place}" if place else "at work"
