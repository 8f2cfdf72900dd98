"""`toryo approve`: let an intent or a plan be carried out, or stand in for a review."""

import click

from toryo.app.deciding import Decided, approve_one, decide_skill
from toryo.app.intentdecisions import refuse_to_approve
from toryo.app.meaning import Meant, what_is_meant
from toryo.app.persons import only_a_person
from toryo.app.planning import approve, refuse_unless_awaiting
from toryo.app.project import Project, open_project
from toryo.app.steering import approve_task, needs_reason, refuse_unless_blocked, refuse_without_reason
from toryo.domain.task import Task
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.decisions import decide_each, is_detached, looked_at, names_in, settle
from toryo.frontends.cli.delegating import Showing, detach_option, turn_in
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, is_interactive, json_option, quiet_option, say, verbose_option


@click.command(
    epilog="Example: toryo approve add-json-export,fix-dates, toryo approve 7682b3a8, or toryo approve T003 --why '…'"
)
@click.argument("which", metavar="[ID]...", nargs=-1)
@click.option("--why", metavar="TEXT", help="Why a task's work is right though a rule speaks against it.")
@click.option("--only", is_flag=True, help="Record it, and do not begin now.")
@click.option("--now", is_flag=True, help="Begin with intents at once, in the background, though nobody watches.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(
    which: tuple[str, ...], why: str | None, only: bool, now: bool, as_json: bool, quiet: bool, verbose: bool
) -> None:
    """Let intents be carried out, approve a session's plan, or accept a task's work in place of its review.

    Several are named one after the other, or with commas. All are looked at first: where one of them cannot be
    approved, none is. An intent begins when 'toryo watch' comes to it; a plan is carried out here and now.

    For a task (e.g. T003) you stand in for the review, let it go beyond its limits, or let through what was found in
    its lines or where it changed files, and say why: every other proof still has to hold.

    A skill that was proposed (skill:NAME) is put where agents find it.
    """
    if only and now:
        raise click.UsageError("--only and --now contradict each other")
    project = open_project(here(), writing=True)
    only_a_person(project)
    names = names_in(which)
    if which and not names:
        raise click.UsageError("there is no id between these commas")
    reason = (why or "").strip()
    if len(names) <= 1 and (meant := what_is_meant(project, names[0] if names else None)).session:
        _approve_here(project, meant, reason, Manner(quiet, verbose), only=only, as_json=as_json)
        return
    what = looked_at(project, names, lambda meant: _refuse(project, meant, reason))
    is_now = now or is_detached()
    decided, failed = decide_each(what, lambda meant: _approved(project, meant, reason, is_now=is_now))
    raise SystemExit(settle(project, decided, failed, Showing(as_json, quiet, verbose), only=only))


def _approve_here(project: Project, meant: Meant, why: str, manner: Manner, *, only: bool, as_json: bool) -> None:
    """One session or task, which goes on here and now."""
    assert meant.session is not None
    reason = why or (_reason(meant.task) if meant.task else "")
    decided = _approved(project, meant, reason, is_now=False)
    assert decided.session is not None
    say(decided.says)
    if only or is_left_to_another(project, decided.session, as_json=as_json):
        return
    with turn_in(project) as lease:
        raise SystemExit(go_on(project, decided.session, lease, manner, as_json=as_json))


def _reason(task: Task) -> str:
    """Why something is let through that a rule speaks against, from whoever is at the terminal."""
    if not needs_reason(task) or not is_interactive():
        return ""
    say(f"{task.plan.key}: {task.reason}")
    return str(click.prompt("Why is it right", err=True)).strip()


# ── one of several ───────────────────────────────────────────────────────────


def _refuse(project: Project, meant: Meant, why: str) -> None:
    """Raises ToryoError where it cannot be approved as things stand."""
    if meant.intent:
        refuse_to_approve(project, meant.intent)
    elif meant.task:
        refuse_unless_blocked(meant.task)
        refuse_without_reason(meant.task, why)
    elif meant.session:
        refuse_unless_awaiting(meant.session)


def _approved(project: Project, meant: Meant, why: str, *, is_now: bool) -> Decided:
    if meant.intent:
        return approve_one(project, meant.intent, is_now=is_now)
    if meant.skill:
        return decide_skill(project, meant, is_wanted=True)
    assert meant.session is not None
    if meant.task:
        session, says = approve_task(project, meant.session, meant.task, why)
        return Decided(meant, says, session)
    session = approve(project, meant.session)
    return Decided(meant, f"approved: {session.title}", session)
