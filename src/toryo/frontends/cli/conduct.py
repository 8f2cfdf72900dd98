"""`toryo conduct`: take up what is queued, one session after the other."""

import click

from toryo.app.background import conduct_queue, queue
from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.domain.errors import Exit
from toryo.domain.events import Event
from toryo.domain.session import Session
from toryo.frontends.cli.talking import here, say
from toryo.views.highlights import is_important
from toryo.views.words import clock_time, event_words


@click.command(epilog="Example: toryo conduct")
def command() -> None:
    """Conduct the sessions that wait for their turn, until none does.

    'toryo run --detach' and the REPL start it by themselves, in the background. While another Toryo conducts here,
    it waits.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    if not queue(project):
        say("nothing is queued")
        return

    def watch(session: Session, events: list[Event]) -> None:
        for event in filter(is_important, events):
            say(f"{clock_time(event.at)} {session.short}: {event_words(session, event)}")

    if not conduct_queue(project, watch):
        raise SystemExit(Exit.INTERRUPTED)
