"""`toryo attach`: go to the window where a task's agent is at work."""

import os
import subprocess

import click

from toryo.app.attending import attaching_command
from toryo.app.project import open_project
from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.delegating import delegate
from toryo.frontends.cli.talking import here, is_interactive, show


@click.command(epilog="Example: toryo attach T003 (leave with Ctrl-B D; the agent goes on)")
@click.argument("task_id", metavar="TASK")
@click.option("--print", "printing", is_flag=True, help="Print the command instead of running it.")
def command(task_id: str, printing: bool) -> None:
    """Go to the tmux window of a task's run: to watch, or, where the agent is interactive, to step in.

    Detaching (Ctrl-B D) leaves the agent at work. The window of a headless run is only a view: closing it
    does not stop anything; 'toryo stop' does.
    """
    import shlex

    project = open_project(here())
    session, task = project.session_and_task(task_id)
    argv = attaching_command(project, session, task)
    if printing:
        show(shlex.join(argv))
        return
    if not is_interactive():
        raise ToryoError(
            "E506",
            "attaching needs a terminal",
            hint=f"'toryo attach --print {task_id}' prints the command",
            exit_code=Exit.USAGE,
        )
    if delegate():  # there is something to come back to
        raise SystemExit(subprocess.run(argv, check=False).returncode)
    os.execvp(argv[0], argv)
