"""`toryo approve`: let a plan be carried out, or stand in for a review."""

import time

import click

from toryo.app.leasing import lease_of
from toryo.app.persons import only_a_person
from toryo.app.planning import approve
from toryo.app.project import Project, open_project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, is_interactive, json_option, quiet_option, say, verbose_option

NEEDS_A_REASON = (BlockReason.HYGIENE, BlockReason.PROTECTED)


@click.command(epilog="Example: toryo approve 7682b3a8, or toryo approve T003 --why 'the word is the feature'")
@click.argument("which", metavar="[ID]", required=False)
@click.option("--why", metavar="TEXT", help="Why a task's work is right though a rule speaks against it.")
@click.option("--only", is_flag=True, help="Record it, and do not begin now.")
@json_option
@quiet_option
@verbose_option
def command(which: str | None, why: str | None, only: bool, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Approve a session's plan, and carry it out; or accept a task's work in place of its review.

    For a task (e.g. T003) you stand in for the review, let it go beyond its limits, or let through what was found in
    its lines or where it changed files, and say why: every other proof still has to hold.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    session, task, _ = project.find(which)
    if task:
        session = _approve_task(project, session, task, why)
    else:
        session = approve(project, session)
        say(f"approved: {session.title}")
    if only or is_left_to_another(project, session):
        return
    with lease_of(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose), as_json=as_json))


def _approve_task(project: Project, session: Session, task: Task, why: str | None) -> Session:
    why = (why or "").strip() or _reason(task)
    now = time.time()
    if approved := project.decide(session, e.TaskApproved(now, task.number, "a person", why)):
        say(f"approved: {task.plan.key}")
        return approved
    if retried := project.decide(session, e.TaskRetried(now, task.number)):
        reason = f" ({task.block_reason})" if task.block_reason else ""
        say(f"note: nobody's word helps with what {task.plan.key} waits for{reason}; it is tried again instead")
        return retried
    state = project.load(session.id).tasks[task.number].state
    raise ToryoError("E208", f"{task.plan.key} is {state}, not blocked", hint=f"toryo info {task.plan.key}")


def _reason(task: Task) -> str:
    """Why something is let through that a rule speaks against; who comes later will want to know."""
    if task.state is not TaskState.BLOCKED or task.block_reason not in NEEDS_A_REASON:
        return ""
    if is_interactive():
        say(f"{task.plan.key}: {task.reason}")
        return str(click.prompt("Why is it right", err=True)).strip()
    key = task.plan.key
    raise ToryoError(
        "E219",
        f"{key} waits because of {task.block_reason}: letting it through needs a reason",
        hint=f"toryo approve {key} --why '…'; toryo info {key} shows what was found",
        exit_code=Exit.USAGE,
    )
