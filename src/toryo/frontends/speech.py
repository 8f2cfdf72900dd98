"""What every face that prints lines does alike: data on stdout, talk on stderr, nothing secret on either."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import click

from toryo.views.screen import clean, printable

_OTHERS_WORDS = re.compile(r"\s|\d\d:\d\d:\d\d |session [0-9a-f]{8}: ")
"""How lines begin that tell what a person, a model, an agent or the journal says."""


@dataclass(frozen=True, slots=True)
class _Manner:
    reword: Callable[[str], str]
    may_ask: bool


_manner: ContextVar[_Manner | None] = ContextVar("manner", default=None)


@contextmanager
def speaking(reword: Callable[[str], str], *, may_ask: bool) -> Iterator[None]:
    """How a face mentions commands, and whether whatever it carries out may ask the person at the terminal."""
    before = _manner.set(_Manner(reword, may_ask))
    try:
        yield
    finally:
        _manner.reset(before)


def spoken(text: str) -> str:
    """What Toryo itself says, with commands mentioned as they are typed where it is read."""
    manner = _manner.get()
    return manner.reword(text) if manner else text


def may_ask() -> bool:
    manner = _manner.get()
    return manner is None or manner.may_ask


def say(text: str) -> None:
    """Talk; where nobody can hear it, as on a full disk or behind a closed pipe, what is being done goes on."""
    with suppress(OSError):
        click.echo(clean(text if _OTHERS_WORDS.match(text) else spoken(text)), err=True)


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
