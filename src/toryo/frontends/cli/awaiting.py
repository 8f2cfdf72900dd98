"""Waiting at the terminal for what becomes of pull requests."""

import time

from toryo.app.configuration import settings_of
from toryo.app.leasing import lease_of
from toryo.app.project import Project
from toryo.app.requests import waits_for_requests, watch
from toryo.domain.session import Session
from toryo.frontends.cli.talking import say
from toryo.frontends.cli.watching import conduct_watched
from toryo.views.landingwords import landing_words


def _tell(line: str) -> None:
    if line:
        say(f"{time.strftime('%H:%M:%S')} {line}")


def _tell_nobody(line: str) -> None:
    pass


def wants_watch(project: Project, given: bool | None) -> bool:
    return settings_of(project).land.watch if given is None else given


def watch_requests(project: Project, session: Session, *, quiet: bool, verbose: bool) -> tuple[Session, bool]:
    """The session once others have decided, and whether the person at the terminal had enough of waiting."""
    if not waits_for_requests(session):
        return session, False
    was_interrupted = False

    def go_on(session: Session) -> None:
        nonlocal was_interrupted
        with lease_of(project) as lease:
            session, was_interrupted = conduct_watched(
                project, project.load(session.id), lease, quiet=quiet, verbose=verbose
            )
        if waits_for_requests(session) and not quiet:
            say(landing_words(session))

    if not quiet:
        say(f"{landing_words(session)}; Ctrl-C leaves it alone, 'toryo land {session.short}' goes on watching")
    try:
        session = watch(project, session, go_on, _tell_nobody if quiet else _tell)
    except KeyboardInterrupt:
        say(f"\nleft alone: nothing is lost; 'toryo land {session.short}' goes on watching")
        return project.load(session.id), True
    return session, was_interrupted
