"""What a typed line means: a command, an instruction, or a slip."""

import re
import shlex
import unicodedata
from dataclasses import dataclass

from toryo.domain.errors import ToryoError

SLIP = "E151"
"""Said without its code: exactly what there is to be typed instead."""
_SLIPS = {
    "/exit": ("exit", "quit", "bye", "logout", "q", ":q", ":wq", ":x", ":qa", "終了", "終わり"),
    "/help": ("help", "?", "ヘルプ"),
}
_MEANT = {said: meant for meant, all_said in _SLIPS.items() for said in all_said}
_CALLED = re.compile(r"\s*(?:\(\s*\d*\s*\)|(?<=\s)\d{1,3})$")
"""As in `exit()` and `exit 0`."""
HELP = ("--help", "-h")


@dataclass(frozen=True, slots=True)
class Typed:
    """A command with everything that stands behind it."""

    name: str
    rest: str

    @property
    def asks_for_help(self) -> bool:
        """Before anything else is said."""
        return self.rest.split(maxsplit=1)[:1] in ([each] for each in HELP)

    @property
    def words(self) -> list[str]:
        """As a shell would split them."""
        lexer = shlex.shlex(self.rest, posix=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        lexer.whitespace += "\u3000"
        try:
            return list(lexer)
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
    if meant := slip(text):
        raise did_you_mean(meant)
    first, *rest = text.split(maxsplit=1)
    first = unicodedata.normalize("NFKC", first)  # a Japanese keyboard's ／ｓｔａｔｕｓ is one, too
    if first.startswith("/"):
        return Typed(first[1:].lower(), rest[0] if rest else "")
    return Instruction(text)


def slip(text: str) -> str:
    """The command somebody means who wants to leave, or to be helped, in the manner of another program; empty: none."""
    said = unicodedata.normalize("NFKC", text).strip("\"'` \t").casefold().rstrip(";.。! ")
    said = said if said == "?" else said.rstrip("?")
    return _MEANT.get(said) or _MEANT.get(_CALLED.sub("", said), "")


def did_you_mean(meant: str) -> ToryoError:
    return ToryoError(SLIP, f"Did you mean {meant}?", hint=meant)
