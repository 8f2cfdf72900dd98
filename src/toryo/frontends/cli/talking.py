"""Talking to a person: data on stdout, talk on stderr, JSON where asked for."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

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


def clean(text: str) -> str:
    """Fit for a person's screen: nothing that is secret, nothing that steers the terminal."""
    from toryo.rules.masking import mask  # takes a moment to load, and most commands say nothing

    return printable(mask(text))


def note_secrets(*said: object) -> None:
    """Tells a person that what they said is recorded without what looks like a secret in it."""
    from toryo.rules.discretion import secrets_in

    if kinds := secrets_in(list(said)):
        how = "give agents secrets through the environment: pass_env"
        say(f"note: what looks like a secret ({', '.join(kinds)}) was masked; {how}")


def show_json(data: Mapping[str, Any]) -> None:
    from toryo.rules.masking import mask_all

    click.echo(json.dumps(mask_all(data), indent=2, ensure_ascii=False).encode("utf-8", errors="backslashreplace"))


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""They show text in another order than it is in."""


def printable(text: str) -> str:
    """Agents and models write what they like; control characters must not steer the terminal, nor mislead the eye."""
    if text.isprintable():
        return text
    return "".join(char if _is_harmless(char) else "�" for char in text)


def _is_harmless(char: str) -> bool:
    if char.isprintable() or char in "\n\t":
        return True
    return ord(char) > 0x9F and char not in _TURNING and not "\ud800" <= char <= "\udfff"


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
