"""`toryo keys`: whether providers' keys are set, and setting them. None is ever shown."""

import os
import sys

import click

from toryo.domain.errors import ToryoError
from toryo.frontends.cli.talking import json_option, say, show, show_json
from toryo.views.columns import columns
from toryo.views.rows import envelope

_provider = click.argument("provider", metavar="PROVIDER", type=click.Choice(("openai", "anthropic")))


@click.group(invoke_without_command=True, epilog="Example: toryo keys set anthropic")
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Show whether the keys of model providers are set, and where they come from."""
    if ctx.invoked_subcommand is not None:
        return
    rows = _rows()
    if as_json:
        show_json(
            envelope("keys", {"keys": [dict(zip(("provider", "is_set", "source"), row, strict=True)) for row in rows]})
        )
        return
    for line in columns(
        [(name, "SET" if is_set else "NOT SET", source) for name, is_set, source in rows], ("PROVIDER", "KEY", "FROM")
    ):
        show(line)


def _rows() -> list[tuple[str, bool, str]]:
    from toryo.app.keys import KEYED, find_key

    rows = []
    for provider in KEYED:
        try:
            key = find_key(provider, os.environ)
        except ToryoError as error:
            rows.append((provider, False, f"{error.message}; {error.hint}"))
        else:
            rows.append((provider, key is not None, key.source if key else ""))
    return rows


@command.command(
    name="set",
    short_help="Keep a key; it is asked for without showing it.",
    epilog="Example: pass show openai | toryo keys set openai",
)
@_provider
def set_key(provider: str) -> None:
    """Keep a key for PROVIDER: asked for without showing it, or read from standard input.

    It goes into a file that only you can read. It cannot be given as an argument: other users could see it there.
    """
    from toryo.app.keys import find_key, store_key

    value = _asked(provider) if sys.stdin.isatty() else sys.stdin.read(20_000)
    path = store_key(provider, value, os.environ)
    say(f"the key for {provider} is SET in {path}")
    key = find_key(provider, os.environ)
    if key and key.source != str(path):
        say(f"note: {key.source} goes before it")


def _asked(provider: str) -> str:
    value: str = click.prompt(f"Key for {provider} (not shown)", hide_input=True, err=True)
    return value


@command.command(name="remove", short_help="Forget a key.", epilog="Example: toryo keys remove openai")
@_provider
def remove(provider: str) -> None:
    """Forget the key of PROVIDER: its file, and its entry in the keyring."""
    from toryo.app.keys import find_key, remove_key

    places = remove_key(provider, os.environ)
    say(f"removed from {' and '.join(places)}" if places else f"no key for {provider} was kept")
    if key := find_key(provider, os.environ):
        say(f"note: it is still SET by {key.source}")
