"""A command with commands of its own, such as `toryo config set`: one file per verb, loaded when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class VerbGroup(click.Group):
    """Knows its verbs by name and help. `instead`: what to do where a verb is wanted that there is not."""

    def __init__(
        self, *args: Any, verbs: Mapping[str, str], instead: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self._verbs, self._instead = verbs, instead or {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return list(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._verbs:
            return None
        found: click.Command = import_module(f"toryo.frontends.cli.{self.name}_{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self._verbs and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command '{self.name} {args[0]}'{self._near(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(self._verbs.items()))

    def _near(self, name: str) -> str:
        if name in self._instead:
            return f"; {self._instead[name]}"
        import difflib

        near = difflib.get_close_matches(name, self._verbs, n=1)
        return f"; did you mean '{near[0]}'?" if near else ""
