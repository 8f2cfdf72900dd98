"""`toryo intent list`: the intents, in the order in which their turn comes."""

import time

import click

from toryo.app.drafts import look_at_drafts
from toryo.app.intents import intent_files
from toryo.app.project import open_project
from toryo.domain.intent import IntentStatus
from toryo.frontends.cli.talking import here, json_option, room, say, show, show_json
from toryo.views.intents import broken_words, chosen, list_lines, listing_data
from toryo.views.rows import envelope


@click.command(name="list", epilog="Example: toryo intent list --status blocked --status error")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([status.value for status in IntentStatus]),
    help="Only those; may be given several times.",
)
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only those; may be given several times.")
@click.option("--all", "is_all", is_flag=True, help="Also those that are done or rejected.")
@json_option
def command(statuses: tuple[str, ...], types: tuple[str, ...], is_all: bool, as_json: bool) -> None:
    """Show the intents that something may still come of, next one first, with their risk, status and age."""
    project = open_project(here())
    listing = intent_files(project).listing()
    pile = look_at_drafts(project)
    drafts, broken = pile.waiting, (*listing.broken, *pile.broken)
    intents = chosen(listing, statuses=[IntentStatus(one) for one in statuses], types=types, is_all=is_all)
    if as_json:
        show_json(envelope("intents", listing_data(intents, broken, drafts)))
    elif lines := list_lines(intents, time.time(), room()):
        show("\n".join(lines))  # a thousand of them at once
    for one in broken:
        say(broken_words(one))
    if as_json:
        return
    left_out = 0 if statuses or types else len(listing.intents) - len(intents)
    if left_out:
        say(f"{left_out} done or rejected: --all shows {'it' if left_out == 1 else 'them'} too")
    elif not intents:
        say("no such intent" if listing.intents else "no intents yet; write one down: toryo intent new '…'")
    if drafts:
        say(f"{len(drafts)} draft{'s' * (len(drafts) > 1)} in .toryo/drafts: 'toryo watch' makes intents of them")
