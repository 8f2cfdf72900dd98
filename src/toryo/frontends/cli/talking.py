"""Talking to a person: data on stdout, talk on stderr, JSON where asked for."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

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


def say(text: str) -> None:
    click.echo(clean(text), err=True)


def show(text: str) -> None:
    """Whole lines; those that are JSON stay JSON, whatever has to be masked in them."""
    from toryo.rules.masking import mask_output

    click.echo(printable(mask_output(text)))


def note_secrets(*said: object) -> None:
    """Tells a person that what they said is recorded without what looks like a secret in it."""
    from toryo.rules.discretion import secrets_in

    if kinds := secrets_in(list(said)):
        how = "give agents secrets through the environment: pass_env"
        say(f"note: what looks like a secret ({', '.join(kinds)}) was masked; {how}")


def show_json(data: Mapping[str, Any]) -> None:
    from toryo.rules.masking import mask_all

    click.echo(json.dumps(mask_all(data), indent=2, ensure_ascii=False).encode("utf-8", errors="backslashreplace"))


def complain(message: str, *, kept: str = "", hint: str = "", code: str = "") -> None:
    label = "error:" if "NO_COLOR" in os.environ else click.style("error:", fg="red", bold=True)
    click.echo(f"{label} {clean(message)}" + (f" ({code})" if code else ""), err=True)
    if kept:
        click.echo(f"kept: {clean(kept)}", err=True)
    if hint:
        click.echo(f"hint: {clean(hint)}", err=True)


def room() -> int:
    """How many cells a line of a table may have; 0 where nobody's screen is the limit."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def is_interactive() -> bool:
    """Somebody is there to see a question and to answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()
