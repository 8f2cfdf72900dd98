"""`toryo inbox`: everything that waits for a person."""

import sys

import click

from toryo.app.leasing import attendant, conducted_now, conducting, watcher
from toryo.app.project import Project, open_project
from toryo.app.waiting import Rows, Waiting, what_waits
from toryo.domain.errors import Exit
from toryo.frontends.cli.talking import (
    here,
    is_interactive,
    json_option,
    quiet_option,
    say,
    show,
    show_json,
    spoken,
)
from toryo.views.inboxitems import item_lines, item_row
from toryo.views.queueing import queue_of, queue_words, unattended, unattended_words
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo inbox, or toryo inbox --json")
@click.argument("session_id", metavar="[ID]", required=False)
@click.option("--no-input", is_flag=True, help="Only show the list, also at a terminal.")
@json_option
@quiet_option
def command(session_id: str | None, no_input: bool, as_json: bool, quiet: bool) -> None:
    """Show what waits for you, the riskiest first: intents and plans to approve, questions, what failed; and how to
    decide. At a terminal, one key does: a approve, w answer, r reject, t retry.

    Exits with 2 while something waits, so that scripts can tell.
    """
    project = open_project(here())
    if project.note:
        say(f"note: {project.note}")
    rows = project.summaries()
    chosen = project.session(session_id).id if session_id else None
    waiting = what_waits(project, rows, chosen)
    if waiting.items and not (no_input or as_json or quiet) and is_interactive() and sys.stdout.isatty():
        from toryo.frontends.cli.inboxkeys import decide_by_keys

        waiting = decide_by_keys(chosen)
        raise SystemExit(_code(waiting))
    if as_json:
        show_json(envelope("inbox", {"items": [item_row(item) for item in waiting.items]}))
    elif not waiting.items:
        show("nothing waits for you")
    else:
        lines = (line for item in waiting.items for line in item_lines(item, spoken))
        show("\n".join(lines))  # there may be a thousand items
    if not quiet:
        _say_what_stands_still(project, rows, waiting, chosen)
    raise SystemExit(_code(waiting))


def _code(waiting: Waiting) -> Exit:
    return Exit.NOT_COMPLETE if waiting.count else Exit.COMPLETE


def _say_what_stands_still(project: Project, rows: Rows, waiting: Waiting, chosen: str | None) -> None:
    """What would go on if somebody were there to do so."""
    lost = unattended(rows, conducted_now(conducting(project)))
    if words := unattended_words([one for one in lost if not chosen or one == chosen]):
        say(words)
    attended = attendant(project)
    if attended is None and (words := queue_words(queue_of(rows), attended)):
        say(words)
    count = len(waiting.approved)
    if count and watcher(project) is None:
        say(f"{count} approved intent{'s' if count > 1 else ''} will begin with 'toryo watch', and nobody watches")
