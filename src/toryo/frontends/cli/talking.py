"""Talking to a person: data on stdout, talk on stderr, JSON where asked for."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from toryo.frontends.speech import may_ask
from toryo.frontends.speech import note_secrets as note_secrets
from toryo.frontends.speech import room as room
from toryo.frontends.speech import say as say
from toryo.frontends.speech import show as show
from toryo.frontends.speech import show_json as show_json
from toryo.frontends.speech import spoken as spoken
from toryo.views.screen import clean as clean
from toryo.views.screen import printable as printable

Command = TypeVar("Command", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress, only the result.")
verbose_option = click.option("-v", "--verbose", is_flag=True, help="Every step, not only the important ones.")


def here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise click.UsageError("the current folder does not exist any more") from None


def complain(message: str, *, kept: str = "", hint: str = "", code: str = "") -> None:
    """On stderr, as far as somebody can hear it there."""
    label = "error:" if "NO_COLOR" in os.environ else click.style("error:", fg="red", bold=True)
    with suppress(OSError):
        click.echo(f"{label} {clean(message)}" + (f" ({code})" if code else ""), err=True)
        if kept:
            click.echo(f"kept: {clean(kept)}", err=True)
        if hint:
            click.echo(f"hint: {clean(hint)}", err=True)


def is_interactive() -> bool:
    """Somebody is there to see a question and to answer it."""
    return may_ask() and sys.stdin.isatty() and sys.stderr.isatty()
