"""Conducting a session while a person watches."""

from toryo.app.conducting import conduct
from toryo.app.project import Project
from toryo.domain.events import Event
from toryo.domain.session import Session
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
    return session, bool(interrupts)
