"""`toryo parallel`: change how many tasks run at once, also while they run."""

import time

import click

from toryo.app.project import open_project
from toryo.domain import events as e
from toryo.domain.errors import ToryoError
from toryo.domain.session import SessionState
from toryo.frontends.cli.talking import here, show
from toryo.rules.numerals import several


@click.command(epilog="Example: toryo parallel 8")
@click.argument("count", metavar="N", type=click.IntRange(1, 1000))
@click.argument("session_id", metavar="[ID]", required=False)
def command(count: int, session_id: str | None) -> None:
    """Let N tasks of a session run at once from now on; running ones are not stopped when N is lowered."""
    project = open_project(here(), writing=True)
    session = project.session(session_id)
    if session.state is SessionState.CLOSED:
        raise ToryoError("E206", f"session {session.short} is closed ({session.outcome})")
    project.append(session, e.ParallelChanged(time.time(), count))
    show(f"session {session.short}: at most {several(count, 'task')} at once")
