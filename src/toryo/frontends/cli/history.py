"""`toryo history`: how intents went."""

import click

from toryo.app.histories import find_histories
from toryo.app.project import open_project
from toryo.domain.learning import HistoryOutcome
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json
from toryo.views.learning import history_lines, history_row, history_table
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo history --failed, then toryo history fix-login")
@click.argument("wanted", metavar="[INTENT]", required=False)
@click.option("--failed", is_flag=True, help="Only those that failed or were left to a person.")
@json_option
def command(wanted: str | None, failed: bool, as_json: bool) -> None:
    """Show how intents went: steps, results, durations, tokens and cost; oldest first.

    INTENT is an intent, or one history by its name, or the beginning of either; then it is shown in full.
    """
    told = find_histories(open_project(here()), wanted)
    found = [each for each in told.histories if not failed or each[1].outcome is not HistoryOutcome.SUCCESS]
    if as_json:
        broken = [{"path": one.path, "line": one.line, "says": one.says} for one in told.broken]
        rows = [history_row(name, one) for name, one in found]
        show_json(envelope("histories", {"histories": rows, "broken": broken}))
        return
    lines = [line for each in found for line in history_lines(*each)] if wanted else history_table(found, room())
    for line in lines:
        show(line)
    if not found:
        say("no intent has come to an end here yet" if not told.histories else "none of them failed")
    for one in told.broken:
        say(f"note: {one.path}:{one.line}: {one.says}")
