"""What a typed line means: a command, an instruction, or a slip."""

import re
import shlex
from dataclasses import dataclass

from toryo.domain.errors import ToryoError

_SLASH = re.compile(r"/([A-Za-z][\w-]*)(?=\s|$)(.*)", re.DOTALL)
_BARE = {"exit": "/exit", "quit": "/exit", ":q": "/exit", ":wq": "/exit", ":q!": "/exit", "help": "/help", "?": "/help"}


@dataclass(frozen=True, slots=True)
class Typed:
    """A command with everything that stands behind it."""

    name: str
    rest: str

    @property
    def words(self) -> list[str]:
        """As a shell would split them."""
        try:
            return shlex.split(self.rest)
        except ValueError as error:
            hint = "close the quote, or leave quotes out"
            raise ToryoError("E150", f"/{self.name}: {str(error).lower()}", hint=hint) from None


@dataclass(frozen=True, slots=True)
class Instruction:
    text: str


def read(line: str) -> Typed | Instruction | None:
    """None: nothing was typed. Raises ToryoError for what is never meant as a task."""
    text = line.strip()
    if not text:
        return None
    if meant := _BARE.get(text.lower()):
        raise ToryoError("E151", f"Did you mean {meant}?", hint=meant)
    if found := _SLASH.fullmatch(text):
        return Typed(found[1].lower(), found[2].strip())
    return Instruction(text)
