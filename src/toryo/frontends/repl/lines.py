"""The lines of a script: whole, in order, each read only when it is wanted."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from toryo.domain.errors import ToryoError

MOST_BYTES = 400_000
"""No instruction may have as many characters; what is longer comes from a file."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Line:
    """What is to be answered as one."""

    number: int
    """Of the line of the script that it begins in."""
    said: bytes

    @property
    def text(self) -> str:
        """Raises ToryoError for what nobody can have meant to say."""
        if len(self.said) > MOST_BYTES:
            raise self._refusal(f"is longer than {MOST_BYTES:,} bytes", "put it into a file, and say its name")
        try:
            text = self.said.decode()
        except UnicodeDecodeError as error:
            raise self._refusal(f"is not UTF-8 (at byte {error.start + 1})", "save the script as UTF-8") from None
        if found := _CONTROL.search(text):
            raise self._refusal(f"has a control character in it (U+{ord(found[0]):04X})", "take it out")
        return text

    def _refusal(self, what: str, hint: str) -> ToryoError:
        return ToryoError("E154", f"line {self.number} {what}", hint=hint)


def lines_of(script: BinaryIO) -> Iterator[Line]:
    """Those with something in them; one that ends in a backslash goes on in the next."""
    number, begun, said = 0, 1, b""
    for raw in _raw_lines(script):
        number += 1
        piece = (raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw).removesuffix(b"\r")
        goes_on = _goes_on(piece)
        said += piece[:-1] if goes_on else piece
        if goes_on:
            said = said[:MOST_BYTES] + b"\n"  # longer than a line may be already: no more than that is kept
            continue
        if said.strip():
            yield Line(begun, said)
        begun, said = number + 1, b""
    if said.strip():
        yield Line(begun, said.removesuffix(b"\n"))


def _goes_on(piece: bytes) -> bool:
    """Two backslashes are one that is meant."""
    return (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1


def _raw_lines(script: BinaryIO) -> Iterator[bytes]:
    """Without their ends; of a line that is too long, only as much as shows that it is."""
    while raw := script.readline(MOST_BYTES + 2):
        rest = raw
        while len(rest) == MOST_BYTES + 2 and not rest.endswith(b"\n"):
            rest = script.readline(MOST_BYTES + 2)
        yield raw.removesuffix(b"\n")
