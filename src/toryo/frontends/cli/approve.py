"""`toryo approve`: let a plan be carried out, or stand in for a review."""

import click

from toryo.app.persons import only_a_person
from toryo.app.planning import approve
from toryo.app.project import open_project
from toryo.app.steering import approve_task, needs_reason
from toryo.domain.task import Task
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.delegating import detach_option, turn_in
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, is_interactive, json_option, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo approve 7682b3a8, or toryo approve T003 --why 'the word is the feature'")
@click.argument("which", metavar="[ID]", required=False)
@click.option("--why", metavar="TEXT", help="Why a task's work is right though a rule speaks against it.")
@click.option("--only", is_flag=True, help="Record it, and do not begin now.")
@detach_option
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
        session, says = approve_task(project, session, task, (why or "").strip() or _reason(task))
        say(says)
    else:
        session = approve(project, session)
        say(f"approved: {session.title}")
    if only or is_left_to_another(project, session, as_json=as_json):
        return
    with turn_in(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose), as_json=as_json))


def _reason(task: Task) -> str:
    """Why something is let through that a rule speaks against, from whoever is at the terminal."""
    if not needs_reason(task) or not is_interactive():
        return ""
    say(f"{task.plan.key}: {task.reason}")
    return str(click.prompt("Why is it right", err=True)).strip()
