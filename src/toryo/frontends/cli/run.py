"""`toryo run`: a plan file, the whole way."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from toryo.adapters.git.place import Look, find_place, look_for_identity
from toryo.frontends.cli.preloading import preload
from toryo.frontends.cli.talking import (
    here,
    is_interactive,
    json_option,
    quiet_option,
    say,
    verbose_option,
)

if TYPE_CHECKING:
    from toryo.app.opening import Prepared
    from toryo.app.project import Project
    from toryo.domain.session import Session
    from toryo.journal.lease import Lease

_NEEDED_SOON = (
    "toryo.app.opening",
    "toryo.app.leasing",
    "toryo.frontends.cli.watching",
    "toryo.engine.performers.workspace",
    "toryo.engine.performers.running",
    "toryo.adapters.hosts.tmux",
    "toryo.frontends.cli.outcome",
)


@click.command(epilog="Example: toryo run --plan plan.yaml --parallel 4")
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The plan, as .yaml or .json.",
)
@click.option("--parallel", type=click.IntRange(1, 1000), metavar="N", help="How many tasks may run at once.")
@click.option("--agent", metavar="NAME", help="The agent for tasks that name none.")
@click.option("--host", type=click.Choice(["auto", "tmux", "headless"]), help="Where runs live.")
@click.option("-y", "--yes", is_flag=True, help="Never ask anything.")
@json_option
@quiet_option
@verbose_option
def command(
    plan_file: Path,
    parallel: int | None,
    agent: str | None,
    host: str | None,
    yes: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run a plan file: every task in a worktree of its own, proven by Toryo, then merged.

    The result is on a branch agent/…; your checkout, branch, index and stash are not touched.
    """
    # Git looks around while the rest of Toryo is loaded; so what is heavy is imported only where it is needed.
    preload(*_NEEDED_SOON)
    place = find_place(here())
    look = Look(place)
    look_for_identity(place)
    from toryo.app.opening import open_session, prepare
    from toryo.app.project import open_project

    project = open_project(here())
    prepared = prepare(project, plan_file, {"parallel": parallel, "agent": agent, "host": host}, look)
    project.close()
    project = open_project(here(), writing=True)
    if project.note:
        say(f"note: {project.note}")
    from toryo.app.leasing import lease_of

    with lease_of(project) as lease:
        if not yes:
            unfinished = _ask_about_unfinished(project, lease)
            if unfinished:
                from toryo.frontends.cli.resume import go_on

                raise SystemExit(go_on(project, unfinished, lease, as_json=as_json, quiet=quiet, verbose=verbose))
        session = open_session(project, prepared, parallel=parallel)
        if not quiet:
            _introduce(session, prepared)
        from toryo.frontends.cli.watching import conduct_watched

        session, interrupted = conduct_watched(project, session, lease, quiet=quiet, verbose=verbose)
    from toryo.frontends.cli.outcome import show_outcome

    raise SystemExit(show_outcome(session, as_json=as_json, quiet=quiet, interrupted=interrupted))


def _introduce(session: "Session", prepared: "Prepared") -> None:
    tasks = _count(len(session.tasks), "task")
    say(
        f"session {session.short}: {session.title}, {tasks}, at most {session.parallel} at once, "
        f"from {session.base_branch} at {session.base_commit[:8]} to {session.branch}"
    )
    proposed = prepared.plan.parallel or 0
    if proposed > session.parallel:
        say(f"note: the plan proposes {proposed} at once; the configuration caps it (--parallel {proposed} overrides)")
    if prepared.start.uncommitted:
        count = _count(prepared.start.uncommitted, "uncommitted change")
        say(f"note: {count} in your checkout will not be part of it")
    unchecked = sum(task.is_unchecked for task in session.tasks.values())
    if unchecked:
        say(f"note: no check exists for {unchecked} of the tasks; their changes will be observed, not tested")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _ask_about_unfinished(project: "Project", lease: "Lease") -> "Session | None":
    """Unfinished sessions are offered before a new one starts; where nobody can answer, they stay as they are."""
    unfinished = [row for row in project.summaries() if row["state"] != "closed"]
    if not unfinished:
        return None
    latest = unfinished[0]
    short = latest["id"].removeprefix("session-")[:8]
    if not is_interactive():
        say(f"note: session {short} ({latest['title']}) is unfinished; 'toryo resume {short}' goes on with it")
        return None
    choice = click.prompt(
        f"Session {short} ({latest['title']}) is unfinished. [n]ew session, [r]esume it, [d]iscard it, then new",
        type=click.Choice(["n", "r", "d"]),
        default="n",
        show_choices=False,
        err=True,
    )
    if choice == "r":
        return project.load(latest["id"])
    if choice == "d":
        from toryo.frontends.cli.stop import discard

        discard(project, project.load(latest["id"]), lease)
    return None
