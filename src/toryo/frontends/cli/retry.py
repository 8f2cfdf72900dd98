"""`toryo retry`: send a blocked task round again."""

import time

import click

from toryo.app.conducting import lease_of
from toryo.app.opening import agents_of, settings_of
from toryo.app.project import open_project
from toryo.domain import events as e
from toryo.domain.errors import ToryoError
from toryo.domain.task import TaskState
from toryo.frontends.cli.resume import go_on
from toryo.frontends.cli.talking import here, json_option, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo retry T003")
@click.argument("task_id", metavar="TASK")
@click.option("--agent", metavar="NAME", default="", help="Give it to another agent.")
@json_option
@quiet_option
@verbose_option
def command(task_id: str, agent: str, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Give a blocked task fresh attempts, and go on with its session.

    Where its worktree is gone, it is made again from the task's branch. While another Toryo conducts the
    session, the task is only put back in its queue.
    """
    project = open_project(here(), writing=True)
    session, task = project.session_and_task(task_id)
    if task.state is not TaskState.BLOCKED:
        raise ToryoError("E208", f"{task.plan.key} is {task.state}, not blocked", hint=f"toryo info {task.plan.key}")
    if agent and agent not in (known := agents_of(settings_of(project))):
        raise ToryoError("E501", f"there is no agent '{agent}'", hint=f"known: {', '.join(sorted(known))}")
    now = time.time()
    retried = e.TaskRetried(now, task.number, agent)
    if project.conductor_pid is not None:
        project.append(session, retried)
        say(f"{task.plan.key} is queued again")
        return
    with lease_of(project) as lease:
        session = project.append(session, retried, e.SessionResumed(now))
        raise SystemExit(go_on(project, session, lease, as_json=as_json, quiet=quiet, verbose=verbose))
