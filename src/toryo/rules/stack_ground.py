"""What the recognisers of stacks see: one folder, its files, and what of their texts is known."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.domain.survey import Confidence, Stack, TestCommand
from toryo.rules.leniently import json_of, toml_of
from toryo.rules.listing import Listing, joined

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,60}")


@dataclass(frozen=True, slots=True)
class Ground:
    """A folder in which one kind of stack may stand."""

    listing: Listing
    texts: Mapping[str, str]
    folder: str
    nested: tuple[str, ...] = ()
    """Folders below that may have a stack of the same kind, each with a slash at its end."""

    def has(self, *names: str) -> bool:
        """Whether any of these files is in the folder; a name may lead to one below it."""
        return any(self.listing.has(joined(self.folder, name)) for name in names)

    def found(self, pattern: str) -> list[str]:
        """Names of files in the folder itself."""
        wanted = re.compile(pattern)
        return [name for name in self.listing.names(self.folder) if wanted.fullmatch(name)]

    def text(self, *names: str) -> str:
        return "\n".join(self.texts.get(joined(self.folder, name), "") for name in names)

    def toml(self, name: str) -> dict[str, Any]:
        return toml_of(self.text(name))

    def json(self, name: str) -> dict[str, Any]:
        return json_of(self.text(name))

    def own_below(self, pattern: re.Pattern[str]) -> str:
        """The first matching file below that does not belong to a nested stack."""
        return self.listing.first_below(self.folder, pattern, self.nested)

    def below(self, pattern: re.Pattern[str]) -> str:
        return self.listing.first_below(self.folder, pattern)

    def texts_below(self, pattern: re.Pattern[str]) -> list[str]:
        prefix = self.folder + "/" if self.folder else ""
        start = len(self.folder)
        return [text for path, text in self.texts.items() if path.startswith(prefix) and pattern.search(path, start)]

    def certain(self, command: str, why: str) -> TestCommand:
        return TestCommand(command, self.folder, Confidence.CERTAIN, why)

    def likely(self, command: str, why: str) -> TestCommand:
        return TestCommand(command, self.folder, Confidence.LIKELY, why)

    def guess(self, command: str, why: str) -> TestCommand:
        return TestCommand(command, self.folder, Confidence.GUESS, why)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A stack, and which folders below it need none of their own: globs relative to its folder."""

    stack: Stack
    covers: tuple[str, ...] = ()


EVERYTHING = ("**",)


def is_named(name: str, manifests: tuple[str, ...]) -> bool:
    return any(name.endswith(each[1:]) if each.startswith("*") else name == each for each in manifests)


def is_plain(word: str) -> bool:
    """Whether a name out of a file may become part of a command."""
    return _PLAIN.fullmatch(word) is not None


def path_word(path: str) -> str:
    """A path as one word of a command that is not taken for an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)
