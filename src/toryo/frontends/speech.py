"""What every face that prints lines does alike: data on stdout, talk on stderr, nothing secret on either."""

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

from toryo.views.screen import clean, printable


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


def room() -> int:
    """How many cells a line of a table may have; 0 where nobody's screen is the limit."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
