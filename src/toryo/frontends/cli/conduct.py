"""`toryo conduct`: take up what is queued, one session after the other."""

import os
import time

import click

from toryo.app.background import await_start, keep_short, log_file, queue, start_conductor
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.turns import conduct_queue
from toryo.domain.errors import Exit
from toryo.domain.events import Event
from toryo.domain.session import Session
from toryo.engine.conductor import Watch
from toryo.frontends.cli.talking import here, say, show
from toryo.views.highlights import is_important
from toryo.views.moments import clock_time, date_time
from toryo.views.words import event_words


@click.command(epilog="Example: toryo conduct, or toryo conduct --detach")
@click.option("--detach", is_flag=True, help="In the background.")
def command(detach: bool) -> None:
    """Conduct the sessions that wait for their turn, until none does.

    'toryo run --detach' and the REPL start it by themselves, in the background. While another Toryo conducts here,
    it waits.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    if project.note:
        say(f"note: {project.note}")
    waiting = len(queue(project))
    if not waiting:
        say("nothing is queued")
    elif detach:
        await_start(project, start_conductor(project))
        show(f"{waiting} session{'s' if waiting > 1 else ''} will be taken up in the background")
    else:
        say(f"{date_time(time.time())}: process {os.getpid()} takes up what is queued")
        if not conduct_queue(project, _told(project)):
            say(f"interrupted; {len(queue(project))} still queued")
            raise SystemExit(Exit.INTERRUPTED)


def _told(project: Project) -> Watch:
    log = log_file(project)

    def watch(session: Session, events: list[Event]) -> None:
        keep_short(log)
        for event in filter(is_important, events):
            say(f"{clock_time(event.at)} {session.short}: {event_words(session, event)}")

    return watch
