"""`toryo config`: what is configured, where each value comes from, and how to change it."""

from importlib import import_module

import click

_VERBS = {
    "show": "Show every value and where it comes from.",
    "init": "Choose the model and the agent, step by step.",
    "set": "Set one value.",
    "edit": "Open a configuration file in your editor.",
}


class _Verbs(click.Group):
    """Each is loaded when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _VERBS:
            return None
        found: click.Command = import_module(f"toryo.frontends.cli.config_{cmd_name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(_VERBS.items()))


@click.group(cls=_Verbs, epilog="Example: toryo config show")
def command() -> None:
    """Look at the configuration, and change it."""
