"""`toryo watch`: work off intents as they come, what may be done by itself and what was approved."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from toryo.app.following import News
from toryo.app.leasing import watcher
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.tending import Tended
from toryo.app.tidings import Tiding
from toryo.app.watchers import end_watcher, pause_what_goes_on, start_watcher
from toryo.domain.errors import Exit
from toryo.domain.session import short_of
from toryo.frontends.cli.talking import here, json_option, quiet_option, say, show, show_json, spoken
from toryo.views.highlights import is_important
from toryo.views.moments import clock_time
from toryo.views.rows import envelope
from toryo.views.words import event_words

_RESULTS = ("done", "blocked", "error", "hindered", "broken")


@click.command(epilog="Example: toryo watch, toryo watch --once, or toryo watch --detach")
@click.option("--once", is_flag=True, help="End when nothing is left to do.")
@click.option("--detach", is_flag=True, help="In the background.")
@click.option("--stop", "is_end", is_flag=True, help="End whoever watches here, and pause what goes on.")
@quiet_option
@json_option
def command(*, once: bool, detach: bool, is_end: bool, quiet: bool, as_json: bool) -> None:
    """Work off the intents of this repository: what was approved, and what may run by itself.

    Looks at drafts, intents and sessions whenever they change, opens one session at a time and has it conducted in the
    background. Ctrl-C pauses what goes on; the next 'toryo watch' goes on with it.
    """
    if is_end and (once or detach):
        raise click.UsageError("--stop goes with neither --once nor --detach")
    project = open_project(here(), writing=True)
    only_a_person(project)
    if project.note:
        say(f"note: {project.note}")
    if is_end:
        _end(project, as_json=as_json)
    elif detach:
        _detach(project, once=once, quiet=quiet, as_json=as_json)
    else:
        raise SystemExit(_watch(project, once=once, quiet=quiet, as_json=as_json))


def _watch(project: Project, *, once: bool, quiet: bool, as_json: bool) -> int:
    from toryo.app.watching import has_failed, is_waiting, watch

    def begun() -> None:
        if not quiet and not as_json:
            say("watching; Ctrl-C ends it" if not once else "working off what is there")

    tell = _teller(quiet=quiet, as_json=as_json)
    tended: Tended | None = watch(project, tell, _hearer(tell), begun, once=once)
    if tended is None:
        return Exit.INTERRUPTED
    if has_failed(tended):
        return Exit.ERROR
    return Exit.NOT_COMPLETE if is_waiting(tended) else Exit.COMPLETE


def _teller(*, quiet: bool, as_json: bool) -> Callable[[Tiding], None]:
    def tell(tiding: Tiding) -> None:
        if quiet and tiding.what not in _RESULTS:
            return
        with _heard_or_not():
            show(said(tiding))

    def said(tiding: Tiding) -> str:
        if as_json:
            about = {"what": tiding.what, "says": tiding.says}
            whose = {"intent": tiding.intent or None, "session": tiding.session or None}
            line = envelope("watch", {"at": time.time(), **about, **whose})
            return json.dumps(line, ensure_ascii=False)
        return f"{clock_time(time.time())} {spoken(tiding.says)}"

    return tell


@contextmanager
def _heard_or_not() -> Iterator[None]:
    """A full disk or a terminal that is gone keeps nobody from watching; whoever closes a pipe wants it to end."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError:
        return


def _hearer(tell: Callable[[Tiding], None]) -> Callable[[News], None]:
    """What happens in sessions of intents; those of others are none of ours."""

    def hear(news: News) -> None:
        if news.session.pursuit is None:
            return
        for session, event in news.events:
            if is_important(event):
                slug = news.session.pursuit.intent
                tell(Tiding("event", f"{session.short}: {event_words(session, event)}", slug, session.id))

    return hear


def _detach(project: Project, *, once: bool, quiet: bool, as_json: bool) -> None:
    options = [name for name, is_wanted in (("--once", once), ("--quiet", quiet)) if is_wanted]
    pid = start_watcher(project, *options)
    if as_json:
        show_json(envelope("watcher", {"watcher": pid}))
    else:
        show(f"process {pid} watches in the background; 'toryo watch --stop' ends it")


def _end(project: Project, *, as_json: bool) -> None:
    pid = end_watcher(project)
    paused = pause_what_goes_on(project) if pid else []
    if as_json:
        show_json(envelope("watcher", {"watcher": watcher(project), "ended": pid}))
    elif pid is None:
        show("nobody watches here")
    else:
        show(f"process {pid} watches no more")
        for session_id in paused:
            say(f"session {short_of(session_id)} is paused; the next 'toryo watch' goes on with it")
