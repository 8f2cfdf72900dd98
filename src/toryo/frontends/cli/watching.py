"""Conducting a session while a person watches."""

from toryo.app.conducting import conduct
from toryo.app.project import Project
from toryo.domain.events import Event
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.progress import progress
from toryo.journal.lease import Lease


def conduct_watched(
    project: Project, session: Session, lease: Lease, *, quiet: bool, verbose: bool
) -> tuple[Session, bool]:
    """The session at rest, and whether that is because somebody interrupted it."""
    interrupts: list[bool] = []
    seen = [session]
    with progress(session, quiet=quiet, verbose=verbose) as shown:

        def on_interrupt() -> None:
            interrupts.append(True)
            at_work = "the agents (Ctrl-C again leaves them running)"
            shown.note(f"stopping {at_work if seen[-1].live else 'here; what is done so far is kept'}")

        def watch(now: Session, events: list[Event]) -> None:
            seen[-1] = now
            shown.watch(now, events)

        session = conduct(project, session, lease, watch, on_interrupt, shown.hear)
        if session.pursuit is not None:
            from toryo.app.agreeing import agree

            agree(project, session, reflects=False)  # nobody waits for what can be learned later
    return session, bool(interrupts)


def watch_what_was_opened(
    project: Project, session: Session, lease: Lease, *, quiet: bool, verbose: bool
) -> tuple[Session, bool]:
    """Waits for the pull requests a session has come to, if that is wanted, while others may conduct here."""
    if session.state is not SessionState.LANDING:
        return session, False
    from toryo.frontends.cli.awaiting import wants_watch, watch_requests

    if not wants_watch(project, None):
        return session, False
    lease.release()
    return watch_requests(project, session, quiet=quiet, verbose=verbose)
