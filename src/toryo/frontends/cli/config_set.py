"""`toryo config set`: one value, validated before it is written."""

import click

from toryo.app.configuring import as_written, set_value
from toryo.frontends.cli.talking import here, say

project_option = click.option("--project", is_flag=True, help="The project's file instead of your own.")


@click.command(name="set", epilog="Example: toryo config set --project run.parallel 8")
@click.argument("key")
@click.argument("value")
@project_option
def command(key: str, value: str, project: bool) -> None:
    """Set one value in your own configuration file; comments and everything else in it stay.

    KEY is as in 'toryo config show', VALUE as in an environment variable. Keys of providers are no part of the
    configuration: see 'toryo keys'.
    """
    changed = set_value(here(), key, value, project=project)
    changed.save()
    say(f"{key} = {as_written(key, value)} in {changed.path}")
    origin = changed.settings.origins.get(key, "")
    if origin and origin != str(changed.path):
        say(f"note: {origin} goes before it: here {key} is {changed.settings.texts[key]}")
