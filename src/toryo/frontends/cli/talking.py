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
    click.echo(printable(text), err=True)


def show(text: str) -> None:
    click.echo(printable(text))


def show_json(data: Mapping[str, Any]) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False).encode("utf-8", errors="backslashreplace"))


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
    click.echo(f"{label} {printable(message)}" + (f" ({code})" if code else ""), err=True)
    if kept:
        click.echo(f"kept: {printable(kept)}", err=True)
    if hint:
        click.echo(f"hint: {printable(hint)}", err=True)


def room() -> int:
    """How many cells a line of a table may have; 0 where nobody's screen is the limit."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def is_interactive() -> bool:
    """Somebody is there to see a question and to answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()
