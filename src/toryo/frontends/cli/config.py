"""`toryo config`: what is configured, where each value comes from, and how to change it."""

import click

from toryo.frontends.cli.verbs import VerbGroup

_VERBS = {
    "show": "Show every value and where it comes from.",
    "init": "Choose the model and the agent, step by step.",
    "set": "Set one value.",
    "edit": "Open a configuration file in your editor.",
}


@click.group("config", cls=VerbGroup, verbs=_VERBS, epilog="Example: toryo config show")
def command() -> None:
    """Look at the configuration, and change it."""
