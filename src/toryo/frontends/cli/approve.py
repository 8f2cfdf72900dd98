"""`toryo approve`: let a plan be carried out, or stand in for a review."""

import time

import click

from toryo.app.leasing import lease_of
from toryo.app.planning import approve
from toryo.app.project import Project, open_project
from toryo.domain import events as e
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, json_option, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo approve, or toryo approve 7682b3a8")
@click.argument("which", metavar="[ID]", required=False)
@click.option("--only", is_flag=True, help="Record it, and do not begin now.")
@json_option
@quiet_option
@verbose_option
def command(which: str | None, only: bool, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Approve a session's plan, and carry it out; or accept a task's work in place of its review.

    For a task (e.g. T003) you stand in for the review, or let it go beyond its limits: every other proof still
    has to hold.
    """
    project = open_project(here(), writing=True)
    session, task, _ = project.find(which)
    session = _approve_task(project, session, task) if task else approve(project, session)
    say(f"approved: {task.plan.key if task else session.title}")
    if only or is_left_to_another(project, session):
        return
    with lease_of(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose), as_json=as_json))


def _approve_task(project: Project, session: Session, task: Task) -> Session:
    now = time.time()
    for wanted in (e.TaskApproved(now, task.number, "a person"), e.TaskRetried(now, task.number)):
        if approved := project.decide(session, wanted):
            return approved
    state = project.load(session.id).tasks[task.number].state
    raise ToryoError("E208", f"{task.plan.key} is {state}, not blocked", hint=f"toryo info {task.plan.key}")
