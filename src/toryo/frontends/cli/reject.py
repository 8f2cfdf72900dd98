"""`toryo reject`: have a plan made anew, or let nothing come of an intent."""

import click

from toryo.app.deciding import Decided, decide_skill, reject_one
from toryo.app.intentdecisions import refuse_to_reject
from toryo.app.meaning import Meant, what_is_meant
from toryo.app.persons import only_a_person
from toryo.app.planning import reject
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.decisions import decide_each, looked_at, names_in, settle
from toryo.frontends.cli.delegating import Showing, detach_option, turn_in
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo reject --why 'No new dependency, please', or toryo reject fix-dates --why 'done'")
@click.argument("which", metavar="[ID]...", nargs=-1)
@click.option("--why", required=True, metavar="TEXT", help="What should be different, or why nothing shall come of it.")
@click.option("--only", is_flag=True, help="Record it, and do not plan anew now.")
@click.option("-y", "--yes", is_flag=True, help="Take defaults, approve the plan; never ask anything.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(which: tuple[str, ...], why: str, only: bool, yes: bool, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Reject a session's plan with a reason, and it is planned anew; or reject intents, and nothing comes of them.

    An intent's session is closed with it, whatever it was at: its branches and commits stay, and 'toryo approve'
    takes the intent up again. A skill that was proposed (skill:NAME) is put away, and not proposed again.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    reason = why.strip() or "no reason given"
    names = names_in(which)
    note_secrets(why)
    if len(names) <= 1 and (meant := what_is_meant(project, names[0] if names else None)).session:
        if meant.task:
            project.session(names[0])  # says that it is a task
        _reject_here(project, meant, reason, Manner(quiet, verbose, yes), only=only, as_json=as_json)
        return
    what = looked_at(project, names, lambda meant: _refuse(project, meant))
    decided, failed = decide_each(what, lambda meant: _rejected(project, meant, reason))
    raise SystemExit(settle(project, decided, failed, Showing(as_json, quiet, verbose), only=True))


def _reject_here(project: Project, meant: Meant, why: str, manner: Manner, *, only: bool, as_json: bool) -> None:
    assert meant.session is not None
    session = reject(project, meant.session, why)
    say("rejected; it is planned anew")
    if only or is_left_to_another(project, session, as_json=as_json):
        return
    with turn_in(project) as lease:
        raise SystemExit(go_on(project, session, lease, manner, as_json=as_json))


def _refuse(project: Project, meant: Meant) -> None:
    if not meant.skill:
        refuse_to_reject(project, _intent_of(meant))


def _rejected(project: Project, meant: Meant, why: str) -> Decided:
    if meant.skill:
        return decide_skill(project, meant, is_wanted=False)
    return reject_one(project, _intent_of(meant), why)


def _intent_of(meant: Meant) -> Intent:
    if meant.intent is None:
        raise ToryoError("E286", f"{meant.name} is no intent", hint="plans are rejected one at a time")
    return meant.intent
