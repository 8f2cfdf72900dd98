"""`toryo say`: step in while the work goes on."""

import click

from toryo.app.persons import only_a_person
from toryo.app.project import open_project
from toryo.app.steering import tell
from toryo.frontends.cli.deciding import Manner
from toryo.frontends.cli.delegating import detach_option, turn_in
from toryo.frontends.cli.resume import go_on, is_left_to_another
from toryo.frontends.cli.talking import here, json_option, note_secrets, quiet_option, say, verbose_option


@click.command(epilog="Example: toryo say 'The flag should be called --format'")
@click.argument("words", metavar="TEXT")
@click.argument("session_id", metavar="[ID]", required=False)
@detach_option
@json_option
@quiet_option
@verbose_option
def command(words: str, session_id: str | None, as_json: bool, quiet: bool, verbose: bool) -> None:
    """Tell a session something: only the tasks it concerns are stopped, changed and begun again.

    Of a plan that waits for approval, 'run it' approves it, and anything else says what should be different.
    """
    project = open_project(here(), writing=True)
    only_a_person(project)
    session = tell(project, project.session(session_id), words.strip())
    note_secrets(words)
    if is_left_to_another(project, session, as_json=as_json):
        say("told; see what comes of it: toryo logs --follow")
        return
    with turn_in(project) as lease:
        raise SystemExit(go_on(project, session, lease, Manner(quiet, verbose), as_json=as_json))
