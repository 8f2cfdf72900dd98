"""`toryo reject`: have a plan made anew."""

import click

from toryo.app.persons import only_a_person
from toryo.app.planning import reject
from toryo.app.project import open_project
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.delegating import detach_option, turn_in
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo reject --why 'No new dependency, please'")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--why", required=True, metavar="TEXT", help="What should be different; the planner gets to read it.")
@click.option("--only", is_flag=True, help="Record it, and do not plan anew now.")
@click.option("-y", "--yes", is_flag=True, help="Take defaults, approve the plan; never ask anything.")
@detach_option
@json_option
@quiet_option
@verbose_option
def command(session_id: str | None, why: str, only: bool, yes: bool, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Reject a session's plan with a reason; it is planned anew."""
    project = open_project(here(), writing=True)
    only_a_person(project)
    session = reject(project, project.session(session_id), why.strip() or "no reason given")
    note_secrets(why)
    say("rejected; it is planned anew")
    if only or is_left_to_another(project, session, as_json=as_json):
        return
    with turn_in(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose, yes), as_json=as_json))
