"""Conflict markers that a merge left in a file."""

import re
from collections.abc import Iterable, Iterator

from toryo.domain.difference import Line
from toryo.rules.hygiene.languages import language_of

_MARKER = re.compile(r"(?:<{7}|>{7}|\|{7})(?:\s|$)|={7}$")


def markers(path: str, added: Iterable[Line]) -> Iterator[Line]:
    """The markers among the added lines; a row of seven `=` alone may be a heading, but not in code."""
    found = [(number, text) for number, text in added if _MARKER.match(text)]
    if language_of(path) or any(text[0] in "<>" for _, text in found):
        yield from found
