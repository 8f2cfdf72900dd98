"""`toryo resume`: go on where a session stopped."""

import time

import click

from toryo.app.budgeting import change_budget
from toryo.app.leasing import Attention, attendant, attention_to
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.app.steering import assent, latest_unfinished, refuse_if_closed, resumed
from toryo.domain import events as e
from toryo.domain.limits import Limit
from toryo.domain.session import Session, SessionState
from toryo.frontends.cli.deciding import Manner, conduct_to_rest, show_plan, show_what_waits, waits_for_decision
from toryo.frontends.cli.delegating import (
    Showing,
    delegate,
    detach_option,
    into_background,
    leave_to_delegate,
    turn_in,
)
from toryo.frontends.cli.limiting import budget_option, together
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.talking import (
    here,
    is_interactive,
    json_option,
    quiet_option,
    room,
    say,
    show,
    show_json,
    verbose_option,
)
from toryo.frontends.cli.watching import watch_what_was_opened
from toryo.journal.lease import Lease
from toryo.views.budget import limits_words
from toryo.views.queueing import queue_of, queue_words
from toryo.views.rows import envelope, is_unfinished
from toryo.views.sessions import session_lines


@click.command(epilog="Example: toryo resume, or toryo resume 7682b3a8")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--now", is_flag=True, help="Do not wait for usage limits: try at once.")
@budget_option
@click.option("-y", "--yes", is_flag=True, help="Take defaults, approve the plan; never ask anything.")
@click.option("--list", "listing", is_flag=True, help="Show the sessions that can be resumed.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    session_id: str | None,
    now: bool,
    limits: tuple[dict[Limit, str], ...],
    yes: bool,
    listing: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Go on with a session: interrupted, stopped, killed, or with blocked tasks (they get fresh attempts).

    Runs that went on without Toryo are picked up with their real exit status.
    """
    project = open_project(here(), writing=not listing)
    if project.note:
        say(f"note: {project.note}")
    if listing:
        rows = [row for row in project.summaries() if is_unfinished(row)]
        if as_json:
            show_json(envelope("sessions", {"sessions": rows}))
        else:
            for line in session_lines(rows, room()) if rows else ["nothing to resume"]:
                show(line)
            if words := queue_words(queue_of(rows), attendant(project)):
                say(words)
        return
    only_a_person(project)
    session = project.session(session_id) if session_id else latest_unfinished(project)
    refuse_if_closed(session, hint="'toryo resume --list' shows others")
    if limits:
        session = change_budget(project, session, together(limits))
        say(f"budget: {limits_words(session.budget)}")
    if now and project.conductor_pid is not None and not delegate():
        _lift_pauses(project, session)
        say("trying at once")
        return
    with turn_in(project) as lease:
        if now:
            _lift_pauses(project, session)
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose, yes), as_json=as_json))


def _lift_pauses(project: Project, session: Session) -> None:
    project.append(session, *(e.PauseLifted(time.time(), credential) for credential in session.pauses))


def go_on(project: Project, session: Session, lease: Lease | None, manner: Manner, *, as_json: bool) -> int:
    """Resumes and conducts to the end; the exit code."""
    session = resumed(project, project.load(session.id))
    if not manner.quiet and lease:
        say(f"session {session.short}: {session.title}, going on")
    return go_through(project, session, lease, manner, as_json=as_json)


def go_through(project: Project, session: Session, lease: Lease | None, manner: Manner, *, as_json: bool) -> int:
    """Conducts to where the session rests, says how it stands and what waits; the exit code."""
    if lease is None:
        if manner.yes:
            session = assent(project, session, only_plan=manner.only_plan)
        return leave_to_delegate(
            project, session, Showing(as_json, manner.quiet, manner.verbose, only_plan=manner.only_plan)
        )
    session, interrupted = conduct_to_rest(project, session, lease, manner)
    if not interrupted:
        session, interrupted = watch_what_was_opened(
            project, session, lease, quiet=manner.quiet, verbose=manner.verbose
        )
    if manner.only_plan and session.state is SessionState.AWAITING_APPROVAL:
        return show_plan(session, as_json=as_json)
    if not as_json and waits_for_decision(session):
        was_seen = is_interactive() and not manner.yes
        return show_what_waits(project, session, was_seen=was_seen, interrupted=interrupted)
    return show_outcome(session, as_json=as_json, quiet=manner.quiet, interrupted=interrupted)


def is_left_to_another(project: Project, session: Session, *, as_json: bool) -> bool:
    """Whether another Toryo has this session, will have it, or may have it, and whoever recorded something is done."""
    if delegate():
        return False
    attention = attention_to(project, session)
    if attention is Attention.ELSEWHERE and attendant(project) is not None:
        into_background(project, resumed(project, project.load(session.id)), Showing(as_json))
    elif attention is Attention.ELSEWHERE:
        short = session.short
        say(f"another session is conducted here; afterwards: toryo resume {short}, or have it wait: --detach with that")
    elif attention is Attention.UNCERTAIN:
        say(f"another Toryo is at work here; should it not go on with this: toryo resume {session.short}")
    return attention is not Attention.NOBODY
