"""Waiting for a session that goes on in the background, and answering with how it rests."""

from collections.abc import Callable, Sequence
from contextlib import closing

from toryo.app.background import enqueue, queue
from toryo.app.project import Project, open_project
from toryo.app.resting import wait_to_rest
from toryo.app.stopping import stop
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.events import Event
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.deciding import show_plan, show_what_waits, waits_for_decision
from toryo.frontends.cli.delegating import Handed, Showing
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.progress import PlainLines, Silent
from toryo.frontends.cli.talking import say, show
from toryo.journal.sqlite import JournalBroken
from toryo.rules.judging import session_outcome
from toryo.views.outcome import exit_code

Note = Callable[[Session], None]


def _note_nothing(session: Session) -> None:
    pass


def waited_for(project: Project, session: Session, showing: Showing, note: Note = _note_nothing) -> int:
    """Has it go on in the background, waits until it rests, and shows how; the exit code.

    Whoever interrupts the waiting means the work: it is paused, and KeyboardInterrupt raised once that is shown.
    """
    try:
        session = _at_rest(project, session, showing, note)
    except KeyboardInterrupt:
        say(f"stopping session {session.short} (once more leaves that to the background)")
        session = stop(project, project.load(session.id))
        note(session)
        show_outcome(session, as_json=showing.as_json, quiet=showing.quiet, interrupted=True)
        raise
    if showing.only_plan and session.state is SessionState.AWAITING_APPROVAL:
        return show_plan(session, as_json=showing.as_json)
    if not showing.as_json and waits_for_decision(session):
        return show_what_waits(project, session, was_seen=False, interrupted=False, tell=show)
    return show_outcome(session, as_json=showing.as_json, quiet=showing.quiet, interrupted=False)


def _at_rest(project: Project, session: Session, showing: Showing, note: Note) -> Session:
    queued, process = enqueue(project, session)
    if not showing.quiet:
        _say_whose_turn_it_is(project, queued)
    with PlainLines(queued, showing.verbose) as lines:
        shown = Silent() if showing.quiet else lines

        def watch(now: Session, events: list[Event]) -> None:
            shown.watch(now, events)
            note(now)

        return wait_to_rest(project, queued, process, watch)


def _say_whose_turn_it_is(project: Project, session: Session) -> None:
    waiting = queue(project)
    if others := waiting.index(session.id) if session.id in waiting else 0:
        say(f"session {session.short} waits for its turn, after {others} other{'s' if others > 1 else ''}")


# ── what was left to the background, as it stands ────────────────────────────


def standing_code(handed: Sequence[Handed]) -> int:
    """The exit code of all that was left to somebody else, as it stands now; the worst one decides."""
    codes = {_code_of(one) for one in _latest(handed)}
    return next((code for code in (Exit.ERROR, Exit.NOT_COMPLETE) if code in codes), Exit.COMPLETE)


def _code_of(handed: Handed) -> int:
    session = _load(handed)
    if session is None:
        return Exit.ERROR
    if handed.only_plan and session.state is SessionState.AWAITING_APPROVAL:
        return Exit.COMPLETE
    return exit_code(session, session_outcome(session), interrupted=False)


def _latest(handed: Sequence[Handed]) -> list[Handed]:
    """Of every session what was asked last."""
    return list({one.session: one for one in handed}.values())


def _load(handed: Handed) -> Session | None:
    """None: it cannot be known any more, as where the repository or its journal is gone."""
    try:
        with closing(open_project(handed.where)) as project:
            return project.load(handed.session)
    except (ToryoError, JournalBroken):
        return None
