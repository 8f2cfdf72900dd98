"""Waiting at the terminal for what becomes of pull requests."""

import time

from toryo.app.leasing import lease_of
from toryo.app.opening import settings_of
from toryo.app.project import Project
from toryo.app.requests import has_requests_to_wait_for, waits_for_requests, watch
from toryo.domain import events as e
from toryo.domain.session import Session
from toryo.frontends.cli.talking import say
from toryo.frontends.cli.watching import conduct_watched
from toryo.views.landingwords import landing_words


def goes_on_waiting(session: Session, mode: str | None, squash: bool | None, when_green: bool | None) -> bool:
    """Whoever asks for nothing else than what is under way only wants to watch it."""
    landing = session.landing
    if landing is None or not has_requests_to_wait_for(session):
        return False
    return mode in (None, landing.mode.value) and squash in (None, landing.squash) and not when_green


def taken_up_again(project: Project, session: Session) -> Session:
    """One that a person had to look at goes on as it was, with a look at its requests first."""
    return project.append(session, e.SessionResumed(time.time()))


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
