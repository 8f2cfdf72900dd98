"""`toryo conflicts`: which work will collide when it is merged."""

import click

from toryo.app.foreseeing import foresee
from toryo.app.project import open_project
from toryo.domain.errors import Exit
from toryo.frontends.cli.talking import here, json_option, say, show, show_json
from toryo.views.outlook import calm_words, outlook_data, outlook_lines
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo conflicts --json")
@click.argument("session_id", metavar="[SESSION]", required=False)
@json_option
def command(session_id: str | None, as_json: bool) -> None:
    """Show which tasks' work will collide, in which files, and with whom, as it is right now.

    Looks at what agents have done so far, committed or not, at what waits to be merged, at what is merged, and at the
    branch the session began from. Merges are only tried: nothing is touched. Ends with 2 if something will collide.
    """
    project = open_project(here())
    session = project.session(session_id)
    outlook = foresee(project, session)
    if as_json:
        show_json(envelope("conflicts", outlook_data(outlook)))
    else:
        for line in outlook_lines(outlook):
            show(line)
        for number in outlook.unseen:
            say(f"note: the work of {session.tasks[number].plan.key} cannot be seen: its worktree is not there")
        if not outlook.ahead:
            show(calm_words(outlook))
    raise SystemExit(Exit.NOT_COMPLETE if outlook.ahead else Exit.COMPLETE)
