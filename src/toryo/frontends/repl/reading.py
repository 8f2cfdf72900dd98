"""What a typed line means: a command, an instruction, or a slip."""

import re
import shlex
import unicodedata
from collections.abc import Callable, Collection
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
_AT_THE_SHELL = re.compile(r"(?:[$>]\s*)?toryo(?:\s+(?P<name>[a-z]+)(?P<rest>.*))?", re.IGNORECASE)
_WITHOUT_SLASH = re.compile(r"(?P<name>[a-z]+)(?P<rest>\s.*)", re.IGNORECASE)
_NO_SENTENCE = re.compile(
    r"""(?:\s+(?:--?[a-z][\w-]*(?:=\S*)?|(?:session|task|run)-[\w-]*\d[\w-]*|(?=[a-f]*\d)[0-9a-f]{4,8}"""
    r"""|T\d{1,4}|"[^"]*"|'[^']*'))*\s*""",
    re.IGNORECASE,
)
"""Options, ids and quoted words, and nothing else."""
_MOST_BEHIND_A_VERB = 3
"""As in `toryo config set KEY VALUE`."""


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


def as_elsewhere(text: str, names: Collection[str], verbs_of: Callable[[str], Collection[str]]) -> str:
    """The command that is typed as at the shell (`toryo logs T1`) or without its slash (`land --merge`); empty: none.

    Where words follow it is a sentence: `toryo status shows too much`.
    """
    found = _AT_THE_SHELL.fullmatch(text) or _WITHOUT_SLASH.fullmatch(text)
    if found is None:
        return ""
    name, rest = (found["name"] or "repl").lower(), (found["rest"] or "").rstrip()
    is_at_the_shell, words = found.re is _AT_THE_SHELL, rest.split()
    if is_at_the_shell and name == "repl" and not words:
        return "/help"
    if name not in names:
        return ""
    has_verb = is_at_the_shell and 0 < len(words) <= _MOST_BEHIND_A_VERB and words[0] in verbs_of(name)
    return f"/{name}{rest}" if has_verb or _NO_SENTENCE.fullmatch(rest) else ""


def did_you_mean(meant: str) -> ToryoError:
    return ToryoError(SLIP, f"Did you mean {meant}?", hint=meant)
