"""`toryo reflect`: proposals, made of what was noted and of how intents went."""

from typing import TYPE_CHECKING

import click

from toryo.frontends.cli.talking import here, json_option, quiet_option, say, show, show_json
from toryo.views.rows import envelope

if TYPE_CHECKING:
    from toryo.app.reflecting import Reflected


@click.command(epilog="Example: toryo reflect --dry-run")
@click.option("--dry-run", is_flag=True, help="Show what would be proposed, and write nothing.")
@json_option
@quiet_option
def command(dry_run: bool, as_json: bool, quiet: bool) -> None:
    """Ask a model what follows from new observations and histories.

    What it proposes becomes intents that wait for you in the inbox, and skills to accept or reject. Nothing that is
    open, or that you rejected not long ago, is proposed again, and no observation is looked at twice.
    """
    from toryo.app.configuration import settings_of
    from toryo.app.project import open_project
    from toryo.app.reflecting import reflect
    from toryo.frontends.cli.listening import listening, not_listening

    project = open_project(here())
    reflected = reflect(project, settings_of(project), not_listening if quiet else listening, is_dry=dry_run)
    if as_json:
        _show_json(reflected, is_dry=dry_run)
        return
    _show(reflected, is_dry=dry_run)


def _show_json(reflected: "Reflected", *, is_dry: bool) -> None:
    from toryo.domain.report import Usage
    from toryo.views.learning import reflection_row
    from toryo.views.usage import usage_row

    usage = sum((call.usage for call in reflected.calls), Usage())
    data = {
        "reflection": reflection_row(reflected.reflection) if reflected.reflection else None,
        "finished": [reflection_row(one) for one in reflected.finished],
        "dry_run": is_dry,
        "calls": len(reflected.calls),
        "usage": usage_row(usage),
    }
    show_json(envelope("reflection", data))


def _show(reflected: "Reflected", *, is_dry: bool) -> None:
    from toryo.views.learning import reflection_lines

    for one in reflected.finished:
        say(f"note: {one.id} was interrupted earlier; it is carried out now")
    every = [*reflected.finished, *([reflected.reflection] if reflected.reflection else [])]
    lines = [line for one in every for line in reflection_lines(one)]
    for line in lines:
        show(line)
    for said in reflected.reflection.dropped if reflected.reflection else ():
        say(f"dropped: {said}")
    if reflected.reflection is None:
        say("nothing new was noted, and no intent came to an end since the last reflection")
    elif not lines:
        say("nothing is proposed")
    elif is_dry:
        say("nothing was written; toryo reflect proposes it")
    else:
        say("next: toryo inbox")
    if reflected.left:
        say(f"{reflected.left} more to look at: toryo reflect goes on with them")
