"""`toryo run`: an instruction, a plan file or a list of tasks, the whole way."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from toryo.app.looking import begin_to_look
from toryo.frontends.cli.delegating import detach_option, unattended_flags
from toryo.frontends.cli.limiting import as_flags, budget_lines, budget_option
from toryo.frontends.cli.preloading import preload
from toryo.frontends.cli.talking import (
    here,
    json_option,
    note_secrets,
    quiet_option,
    say,
    verbose_option,
)
from toryo.rules.numerals import several

if TYPE_CHECKING:
    from toryo.app.opening import Prepared
    from toryo.domain.limits import Limit
    from toryo.domain.session import Session

_NEEDED_SOON = (
    "toryo.app.opening",
    "toryo.app.leasing",
    "toryo.frontends.cli.watching",
    "toryo.engine.performers.workspace",
    "toryo.engine.performers.running",
    "toryo.adapters.hosts.tmux",
    "toryo.frontends.cli.outcome",
)


@click.command(epilog="Example: toryo run 'Add a --json flag to export', or toryo run --plan plan.yaml --parallel 4")
@click.argument("words", nargs=-1, metavar="[INSTRUCTION | FILE | - | #ISSUE | URL]")
@click.option(
    "--plan", "plan_file", type=click.Path(path_type=Path), metavar="FILE", help="A plan, as .yaml or .json, instead."
)
@click.option("--dry-run", "only_plan", is_flag=True, help="Stop after the plan; 'toryo approve' goes on.")
@click.option(
    "--tasks",
    "tasks_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Or a list of tasks in Markdown, such as spec-kit's tasks.md.",
)
@click.option("--parallel", type=click.IntRange(1, 1000), metavar="N", help="How many tasks may run at once.")
@click.option("--agent", metavar="NAME", help="The agent for tasks that name none.")
@click.option("--host", type=click.Choice(["auto", "tmux", "headless"]), help="Where runs live.")
@click.option("--land", type=click.Choice(["branch", "merge", "pr", "pr-per-task"]), help="What becomes of the result.")
@click.option("--squash", is_flag=True, default=None, help="Land it as one commit.")
@budget_option
@click.option("-y", "--yes", is_flag=True, help="Take defaults, approve the plan; never ask anything.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    words: tuple[str, ...],
    plan_file: Path | None,
    tasks_file: Path | None,
    only_plan: bool,
    parallel: int | None,
    agent: str | None,
    host: str | None,
    land: str | None,
    squash: bool | None,
    limits: tuple[dict["Limit", str], ...],
    yes: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Turn an instruction into proven, merged code; or run a plan file.

    The instruction is planned with a model: questions (Enter takes the defaults), specification, plan and tasks,
    which you approve once. Every task is done in a worktree of its own, proven by Toryo, then merged.
    The result is on a branch agent/…; your checkout, branch, index and stash are not touched until it is landed.
    """
    flags: dict[str, object] = {"parallel": parallel, "agent": agent, "host": host, "land": land, "land.squash": squash}
    flags |= {**as_flags(limits), **unattended_flags()}
    if sum(map(bool, (words, plan_file, tasks_file))) != 1:
        raise click.UsageError("say one thing to do: 'an instruction', or --plan FILE, or --tasks FILE (tasks.md)")
    if words:
        if not quiet:
            say("getting ready to plan")  # at once: what planning needs takes a moment to load
        from toryo.frontends.cli.instructing import run_instruction

        run_instruction(words, flags, yes=yes, only_plan=only_plan, as_json=as_json, quiet=quiet, verbose=verbose)
    if only_plan:
        raise click.UsageError("--dry-run is for an instruction; a file is a plan already")
    _run_file(plan_file, tasks_file, flags, yes=yes, as_json=as_json, quiet=quiet, verbose=verbose)


def _run_file(
    plan_file: Path | None,
    tasks_file: Path | None,
    flags: Mapping[str, object],
    *,
    yes: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> NoReturn:
    source = plan_file or tasks_file
    assert source is not None
    # Git looks around while the rest of Toryo is loaded; so what is heavy is imported only where it is needed.
    preload(*_NEEDED_SOON)
    look = begin_to_look(here())
    from toryo.app.opening import open_session, prepare
    from toryo.app.project import open_project

    project = open_project(here())
    prepared = prepare(project, source, flags, is_list_of_tasks=tasks_file is not None, look=look)
    project.close()
    project = open_project(here(), writing=True)
    if project.note:
        say(f"note: {project.note}")
    from toryo.frontends.cli.delegating import Showing, leave_to_delegate, turn_in
    from toryo.frontends.cli.unfinished import go_on_with_unfinished

    with turn_in(project) as lease:
        if not yes:
            go_on_with_unfinished(project, lease, as_json=as_json, quiet=quiet, verbose=verbose)
        session = open_session(project, prepared, parallel=flags["parallel"])  # type: ignore[arg-type]
        note_secrets(prepared.plan)
        if not quiet:
            _introduce(session, prepared)
        if lease is None:
            raise SystemExit(leave_to_delegate(project, session, Showing(as_json, quiet, verbose)))
        from toryo.frontends.cli.watching import conduct_watched, watch_what_was_opened

        session, interrupted = conduct_watched(project, session, lease, quiet=quiet, verbose=verbose)
        if not interrupted:
            session, interrupted = watch_what_was_opened(project, session, lease, quiet=quiet, verbose=verbose)
    from toryo.frontends.cli.outcome import show_outcome

    raise SystemExit(show_outcome(session, as_json=as_json, quiet=quiet, interrupted=interrupted))


def _introduce(session: "Session", prepared: "Prepared") -> None:
    tasks = several(len(session.tasks), "task")
    say(
        f"session {session.short}: {session.title}, {tasks}, at most {session.parallel} at once, "
        f"from {session.base_branch} at {session.base_commit[:8]} to {session.branch}"
    )
    for line in (*budget_lines(session.budget, list(prepared.uncounted)), *prepared.remarks):
        say(line)
    proposed = prepared.plan.parallel or 0
    if proposed > session.parallel:
        say(f"note: the plan proposes {proposed} at once; the configuration caps it (--parallel {proposed} overrides)")
    if prepared.start.uncommitted:
        count = several(prepared.start.uncommitted, "uncommitted change")
        say(f"note: {count} in your checkout will not be part of it")
    from toryo.rules.kinds import is_unchecked

    unchecked = sum(is_unchecked(task) for task in session.tasks.values())
    if unchecked:
        say(f"note: no check exists for {unchecked} of the tasks; their changes will be observed, not tested")
