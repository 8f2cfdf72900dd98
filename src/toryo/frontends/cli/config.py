"""`toryo config`: what is configured, and where each value comes from."""

import click

from toryo.adapters.settings import rows
from toryo.app.opening import settings_of
from toryo.app.project import open_project
from toryo.frontends.cli.talking import here, json_option, show, show_json
from toryo.views.columns import columns
from toryo.views.rows import envelope


@click.group(epilog="Example: toryo config show")
def command() -> None:
    """Look at the configuration."""


@command.command(name="show")
@json_option
def show_settings(as_json: bool) -> None:
    """Show every value and where it comes from: default, user, project, local, environment."""
    found = rows(settings_of(open_project(here())))
    if as_json:
        values = [{"key": key, "value": value, "origin": origin} for key, value, origin in found]
        show_json(envelope("config", {"values": values}))
        return
    for line in columns(found, ("KEY", "VALUE", "FROM")):
        show(line)
