"""`toryo config show`: every value, and where it comes from."""

import click

from toryo.app.configuration import rows, settings_of
from toryo.app.project import open_project
from toryo.frontends.cli.talking import here, json_option, show, show_json
from toryo.views.columns import columns
from toryo.views.rows import envelope


@click.command(name="show", epilog="Example: toryo config show --json")
@json_option
def command(as_json: bool) -> None:
    """Show every value and where it comes from: default, user, project, local, environment."""
    found = rows(settings_of(open_project(here())))
    if as_json:
        values = [{"key": key, "value": value, "origin": origin} for key, value, origin in found]
        show_json(envelope("config", {"values": values}))
        return
    for line in columns(found, ("KEY", "VALUE", "FROM")):
        show(line)
