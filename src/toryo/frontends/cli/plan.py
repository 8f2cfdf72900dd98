"""`toryo plan`: from an instruction to a plan, and no further."""

import click

from toryo.app.project import open_project
from toryo.domain.limits import Limit
from toryo.frontends.cli.delegating import detach_option, unattended_flags
from toryo.frontends.cli.instructing import run_instruction
from toryo.frontends.cli.limiting import as_flags, budget_option
from toryo.frontends.cli.talking import here, json_option, quiet_option, show, show_json, verbose_option
from toryo.views.plan import plan_text
from toryo.views.rows import envelope, session_row, task_row


@click.command(epilog="Example: toryo plan 'Add a --json flag to export', then toryo approve")
@click.argument("words", nargs=-1, metavar="INSTRUCTION | FILE | - | #ISSUE | URL")
@click.option(
    "--show", "shown", metavar="[ID]", is_flag=False, flag_value="", help="Show a session's plan, or the latest one's."
)
@click.option("--agent", metavar="NAME", help="The agent for the tasks.")
@click.option("--parallel", type=click.IntRange(1, 1000), metavar="N", help="How many tasks may run at once.")
@budget_option
@click.option("-y", "--yes", is_flag=True, help="Take the defaults of all questions.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    words: tuple[str, ...],
    shown: str | None,
    agent: str | None,
    parallel: int | None,
    limits: tuple[dict[Limit, str], ...],
    yes: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Plan only: questions, specification, plan and tasks, to be approved later with 'toryo approve'.

    It can be interrupted at any point; 'toryo resume' goes on.
    """
    if shown is None:
        flags = {"agent": agent, "parallel": parallel, **as_flags(limits), **unattended_flags()}
        run_instruction(words, flags, yes=yes, only_plan=True, as_json=as_json, quiet=quiet, verbose=verbose)
    project = open_project(here())
    session = project.session(shown or None)
    if as_json:
        rows = [task_row(session, task) for task in session.tasks.values()]
        show_json(envelope("plan", {"session": session_row(session), "tasks": rows, "plan": plan_text(session)}))
    else:
        show(plan_text(session))
