"""`toryo report`: how a session went, in Markdown."""

import time

import click

from toryo.app.project import open_project
from toryo.frontends.cli.talking import here, json_option, show, show_json
from toryo.rules.judging import session_outcome
from toryo.views.report import report
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo report > report.md")
@click.argument("session_id", metavar="[ID]", required=False)
@json_option
def command(session_id: str | None, as_json: bool) -> None:
    """Show the report of a session, finished or not; without an id, the latest."""
    project = open_project(here())
    if as_json:
        from toryo.views.records.details import report_answer

        show_json(envelope("report", report_answer(project.tell(session_id), str(project.place.root))))
    else:
        session = project.session(session_id)
        show(report(session, session_outcome(session), time.time()).rstrip("\n"))
