"""`toryo land`: bring a session's result home."""

import click

from toryo.app.landing import (
    Wish,
    begin_landing,
    goes_on_waiting,
    is_there_already,
    mode_of,
    others_to_land,
    taken_up_again,
)
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.landing import LandingMode
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.awaiting import wants_watch, watch_requests
from toryo.frontends.cli.delegating import Showing, delegate, detach_option, leave_to_delegate, turn_in
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.talking import (
    here,
    is_interactive,
    json_option,
    quiet_option,
    say,
    show,
    verbose_option,
)
from toryo.frontends.cli.watching import conduct_watched
from toryo.views.landingwords import is_landed_in_part, landing_words


@click.command(epilog="Example: toryo land --merge, or toryo land 7682b3a8 --merge --squash")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--merge", is_flag=True, help="Merge it into the branch it began from.")
@click.option("--pr", is_flag=True, help="Open a pull request for it.")
@click.option("--pr-per-task", is_flag=True, help="One pull request per task.")
@click.option("--branch", is_flag=True, help="Leave it on its branch after all.")
@click.option("--squash/--no-squash", default=None, help="All of it as one commit.")
@click.option("--when-green", is_flag=True, default=None, help="Let Toryo merge its pull requests once all is green.")
@click.option("--watch/--no-watch", default=None, help="Watch its pull requests until they are merged or closed.")
@click.option("--partial", is_flag=True, help="Land what is merged so far of a session that is not complete.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    session_id: str | None,
    merge: bool,
    pr: bool,
    pr_per_task: bool,
    branch: bool,
    squash: bool | None,
    when_green: bool | None,
    watch: bool | None,
    partial: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Bring a session's result home: to the branch it began from, or as pull requests.

    What that branch got meanwhile is merged first, beside your checkout, and everything is proven again. Your checkout
    is only touched where the branch is checked out, and never where that would cost you something uncommitted.
    'toryo undo' goes back to before. Without an option: as `run.land` says; where that
    leaves it on its branch, you are asked at a terminal, and a script is told to say how.
    """
    mode = _asked_for(merge=merge, pr=pr, pr_per_task=pr_per_task, branch=branch)
    _refuse_when_green(when_green, mode)
    project = open_project(here(), writing=True)
    only_a_person(project)
    session = project.session(session_id)
    if is_there_already(session, Wish(is_partial=partial)):
        others = [] if session_id else others_to_land(project, session)
        raise SystemExit(_there_already(session, others, as_json=as_json, quiet=quiet))
    interrupted = False
    if goes_on_waiting(session, mode, squash, when_green):
        session = taken_up_again(project, session)
        if delegate():
            raise SystemExit(leave_to_delegate(project, session, Showing(as_json, quiet, verbose)))
    else:
        wish = Wish(_mode(project, session, mode), squash, when_green, partial)
        _refuse_when_green(when_green, wish.mode)
        with turn_in(project) as lease:
            session = begin_landing(project, project.load(session.id), wish)
            if session.state not in (SessionState.LANDING, SessionState.CLOSED):
                raise SystemExit(_still_waits(session, as_json=as_json, quiet=quiet))
            if not quiet:
                how = landing_words(session) or f"left on {session.branch}"
                say(f"session {session.short}: {session.title}, {how}")
            if lease is None:
                raise SystemExit(leave_to_delegate(project, session, Showing(as_json, quiet, verbose)))
            session, interrupted = conduct_watched(project, session, lease, quiet=quiet, verbose=verbose)
    if not interrupted and wants_watch(project, watch):
        session, interrupted = watch_requests(project, session, quiet=quiet, verbose=verbose)
    raise SystemExit(show_outcome(session, as_json=as_json, quiet=quiet, interrupted=interrupted))


def _asked_for(**flags: bool) -> LandingMode | None:
    modes = [LandingMode(name.replace("_", "-")) for name, is_given in flags.items() if is_given]
    if len(modes) > 1:
        raise click.UsageError("say one way to land it, not " + " and ".join(f"--{mode}" for mode in modes))
    return modes[0] if modes else None


def _refuse_when_green(is_given: bool | None, mode: LandingMode | None) -> None:
    if is_given and mode and not mode.has_requests:
        raise click.UsageError(f"--when-green is about pull requests, and --{mode} opens none")


def _there_already(session: Session, others: list[Session], *, as_json: bool, quiet: bool) -> int:
    """Nothing of it is left to land; the exit code."""
    if as_json:
        return show_outcome(session, as_json=True, quiet=quiet, interrupted=False)
    why = "nothing new is merged since" if is_landed_in_part(session) else "nothing is left to land"
    show(f"session {session.short} is {landing_words(session)}; {why}")
    for other in others:
        say(f"another that can be landed: toryo land {other.short} --merge ({other.title})")
    return Exit.COMPLETE if session.state is SessionState.CLOSED else Exit.NOT_COMPLETE


def _still_waits(session: Session, *, as_json: bool, quiet: bool) -> int:
    """Nothing was there to be left where it is; the exit code."""
    if not quiet:
        say(f"session {session.short}: its result so far stays on {session.branch}, and the session still waits")
    show_outcome(session, as_json=as_json, quiet=quiet, interrupted=False)
    return Exit.NOT_COMPLETE


def _mode(project: Project, session: Session, given: LandingMode | None) -> LandingMode:
    """Who says nothing, and has configured nothing, is asked; a script is told."""
    mode = mode_of(project, Wish(given))
    if given or mode is not LandingMode.BRANCH:
        return mode
    ways = f"--merge (into {session.base_branch}), --pr or --pr-per-task"
    if not is_interactive():
        hint = f"toryo land {session.short} --merge; or for all of them: toryo config set run.land merge"
        raise ToryoError("E234", f"say how session {session.short} is to be landed: {ways}", hint=hint)
    chosen = click.prompt(
        f"How: merge into {session.base_branch}, pr, pr-per-task, or branch to leave it there",
        type=click.Choice([one.value for one in LandingMode]),
        show_choices=False,
        default=LandingMode.MERGE.value,
        err=True,
    )
    return LandingMode(chosen)
