"""`toryo diff`: what a session or a task has changed, as a patch."""

import sys
from typing import TextIO

import click

from toryo.app.differing import Between, between, difference_lines, files_in, show_difference
from toryo.app.project import open_project
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.frontends.cli.talking import here, json_option, printable, say, show_json
from toryo.views.rows import envelope

_SIGPIPE = (-13, 141)


@click.command(epilog="Example: toryo diff T003 | git apply")
@click.argument("wanted", metavar="[ID]", required=False)
@click.option("--stat", "is_stat", is_flag=True, help="Only how much changed in which file.")
@click.option("--name-only", "is_names", is_flag=True, help="Only the names of the files.")
@json_option
def command(wanted: str | None, is_stat: bool, is_names: bool, as_json: bool) -> None:
    """Show what a session has merged so far, or what a task has done; without an id, the latest session.

    Of a task that is at work, what is not committed yet is shown too. On a terminal git shows it with your colours and
    pager; elsewhere it is a patch that 'git apply' takes. Unlike all else that Toryo shows it is not masked: a masked
    patch would not be what was done.
    """
    if is_stat + is_names + as_json > 1:
        raise click.UsageError("--stat, --name-only and --json exclude each other")
    project = open_project(here())
    session, task, _ = project.find(wanted)
    with between(project, session, task) as found:
        if as_json:
            show_json(envelope("diff", _data(session, task, found)))
            return
        if found.is_empty:
            say(_nothing(session, task))
            return
        sys.stdout.flush()
        options = ("--stat",) if is_stat else ("--name-only",) if is_names else ()
        if not _is_file(sys.stdout):
            for line in difference_lines(found, *options):
                click.echo(printable(line))
            return
        code = show_difference(found, *options, on_screen=sys.stdout.isatty())
    raise SystemExit(0 if code in _SIGPIPE else code)


def _is_file(stream: TextIO) -> bool:
    """Whether another program can write to it too."""
    try:
        return stream.fileno() >= 0
    except OSError:
        return False


def _data(session: Session, task: Task | None, found: Between) -> dict[str, object]:
    return {
        "session": session.id,
        "task": task.id if task else None,
        "base": found.base or None,
        "commit": found.commit or None,
        "files": files_in(found),
    }


def _nothing(session: Session, task: Task | None) -> str:
    if task is None:
        return f"session {session.short}: nothing is merged yet; 'toryo diff TASK' shows what a task has done so far"
    return f"{task.plan.key} has changed nothing" + ("" if task.runs else ": it has not begun")
