"""`toryo logs`: what happened in a session, what an agent printed, and the logs of tasks."""

import time

import click

from toryo.app.project import Project, open_project
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json


@click.command(epilog="Example: toryo logs --follow, toryo logs T003, or toryo logs --list")
@click.argument("wanted", metavar="[ID]", required=False)
@click.option("-f", "--follow", is_flag=True, help="Go on until the session (or run) rests.")
@click.option("--full", "is_full", is_flag=True, help="Everything, not only what matters to most people.")
@click.option("--list", "as_list", is_flag=True, help="One line for each task.")
@click.option("--tree", "as_tree", is_flag=True, help="Threads, rounds, tasks and their runs.")
@click.option("--events", is_flag=True, help="For a task: what happened to it, instead of what its agent said.")
@click.option("--raw", is_flag=True, help="For a task: its agent's output as it is, not put into words.")
@json_option
def command(
    wanted: str | None,
    *,
    follow: bool,
    is_full: bool,
    as_list: bool,
    as_tree: bool,
    events: bool,
    raw: bool,
    as_json: bool,
) -> None:
    """Show the journal of a session in words, or, for a task or run, what its agent said and did.

    Secrets are masked. With --json: the task's log, or the list of them; with --events, one event per line.
    """
    if (as_list or as_tree) and (follow or events or raw or is_full or (as_list and as_tree)):
        raise click.UsageError("--list and --tree go with no other way of showing logs")
    if raw and (events or is_full):
        raise click.UsageError("--raw shows what an agent printed, and goes with neither --events nor --full")
    project = open_project(here())
    if as_list or as_tree:
        _show_overview(project, wanted, as_tree=as_tree, as_json=as_json)
    elif as_json and not (events or raw or follow):
        _show_log(project, wanted, is_full=is_full)
    else:
        from toryo.app.tailing import event_lines, output_lines

        session, task, run = project.find(wanted)
        if raw and task is None:
            raise click.UsageError("--raw needs a task or a run: a session prints nothing itself")
        if task is None or events:
            lines = event_lines(project, session, task, follow=follow, is_full=is_full, as_json=as_json)
        else:
            lines = output_lines(project, session, task, run, say, follow=follow, raw=raw, as_json=as_json)
        for line in lines:
            show(line)


def _show_log(project: Project, wanted: str | None, *, is_full: bool) -> None:
    """The log of a task, or the list of them, as it is: without an envelope."""
    from toryo.views.records.tasklogs import task_log, task_log_index

    told, task, _ = project.find_told(wanted)
    if task is None:
        show_json(task_log_index(told, time.time()))
    else:
        show_json(task_log(told, task, str(project.place.root), is_full=is_full))


def _show_overview(project: Project, wanted: str | None, *, as_tree: bool, as_json: bool) -> None:
    from toryo.views.loglist import list_lines, tree_lines
    from toryo.views.records.rounds import metadata
    from toryo.views.records.tasklogs import task_log_index

    told, task, _ = project.find_told(wanted)
    if task is not None:
        raise click.UsageError(f"--list and --tree show a whole session; for one task: toryo logs {wanted}")
    if as_json:
        show_json(metadata(told.session, told.rounds) if as_tree else task_log_index(told, time.time()))
        return
    for line in tree_lines(told) if as_tree else list_lines(told, time.time(), room()):
        show(line)
