"""The fields of people's YAML files, taken out one by one, with the line of everything that is wrong."""

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import TypeVar

from toryo.adapters.located import NO_VALUE, Document, Place, Unreadable, did_you_mean, kind_of, locate, name_of
from toryo.adapters.located_plain import read_plain_yaml
from toryo.rules.instants import instant

MOST_BYTES = 1_000_000
_NEAR = 0.75
Choice = TypeVar("Choice", bound=StrEnum)


class BrokenFile(Exception):
    """It is not what it should be: the lines, and what is wrong there."""

    def __init__(self, problems: Iterable[tuple[int, str]]) -> None:
        self.problems = sorted(problems)
        super().__init__(self.says)

    @property
    def line(self) -> int:
        return self.problems[0][0]

    @property
    def says(self) -> str:
        more = len(self.problems) - 1
        return self.problems[0][1] + (f" (and {more} more)" if more else "")


def text_of(raw: bytes) -> str:
    """Without the mark that some editors put in front, and with plain line ends."""
    if len(raw) > MOST_BYTES:
        raise BrokenFile([(1, f"larger than {MOST_BYTES // 1_000_000} MB")])
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BrokenFile([(raw.count(b"\n", 0, error.start) + 1, "not UTF-8 text; save the file as UTF-8")]) from error


def document_of(text: str, what: str) -> Document:
    """A mapping; its fields may have no value. Raises BrokenFile."""
    if not text.strip():
        raise BrokenFile([(1, "the file is empty")])
    try:
        tree = read_plain_yaml(text)
        if tree is None:
            from toryo.adapters.located_yaml import read_yaml  # takes longer to import than many files to read

            tree = read_yaml(text)
        if tree is None or tree.value is None:
            raise BrokenFile([(1, "the file is empty")])
        document = locate(tree)
    except Unreadable as error:
        raise BrokenFile([_conflict(text) or (error.line, str(error))]) from error
    if not isinstance(document.value, dict):
        raise BrokenFile([(document.line(()), f"{what} should be a mapping, not {kind_of(document.value)}")])
    return document


def _conflict(text: str) -> tuple[int, str] | None:
    """Where git left a conflict for people to settle: what YAML makes of that helps nobody."""
    lines = enumerate(text.splitlines(), 1)
    at = next((number for number, line in lines if line.startswith("<<<<<<< ")), None)
    return (at, "git could not merge it: settle the conflict") if at else None


class Fields:
    """Those of one mapping; what is wrong with them goes to `problems`."""

    def __init__(
        self, document: Document, source: str, place: Place = (), problems: list[tuple[int, str]] | None = None
    ):
        self._document, self._source, self._place = document, source, place
        value: object = document.value
        for step in place:
            value = value[step]  # type: ignore[index]
        self.values: dict[str, object] = value if isinstance(value, dict) else {}
        self.problems = problems if problems is not None else _general(document)

    def wrong(self, name: str, says: str) -> None:
        place = (*self._place, name)
        self.problems.append((self._document.line(place), f"{name_of(place)}: {says}"))

    def text(self, name: str, *, is_needed: bool = False) -> str:
        value = self.values.get(name)
        if value is None or value == "":
            if is_needed:
                self.wrong(name, "required field is missing" if name not in self.values else "should say something")
            return ""
        if isinstance(value, str):
            return value
        if isinstance(value, list | dict):
            self.wrong(name, f"should be text, not {kind_of(value)}")
            return ""
        return self._as_written(name, value)

    def _as_written(self, name: str, value: object) -> str:
        """Of a number, or true or false, what the person wrote: 1.10 is a version, and not 1.1."""
        line = self._source.split("\n")[self._document.line((*self._place, name)) - 1]
        found = re.search(rf"{re.escape(name)}['\"]?\s*:\s+([^\s#,{{}}\[\]'\"]+)", line)
        return found[1] if found else str(value).lower() if isinstance(value, bool) else str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        if value is not None and not isinstance(value, list):
            self.wrong(name, f"should be a list, not {kind_of(value)}")
        return tuple(str(one) for one in value if one is not None) if isinstance(value, list) else ()

    def choice(self, name: str, kind: type[Choice]) -> Choice | None:
        said = self.text(name)
        if not said:
            return None
        try:
            return kind(said)
        except ValueError:
            known = [one.value for one in kind]
            near = did_you_mean(said, known) or f"; it is one of {', '.join(known)}"
            self.wrong(name, f"unknown {name} '{said}'{near}")
            return None

    def number(self, name: str) -> float:
        value = self.values.get(name)
        if value is None:
            return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
            self.wrong(name, f"should be a number, not {kind_of(value)}")
            return 0.0
        return float(value)

    def instant(self, name: str) -> float:
        said = self.text(name)
        if not said:
            return 0.0
        try:
            return instant(said)
        except ValueError:
            self.wrong(name, f"'{said[:40]}' is not a time; write it like 2025-02-22T10:00:00Z")
            return 0.0

    def rows(self, name: str) -> list["Fields"]:
        """A list of mappings."""
        value = self.values.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self.wrong(name, f"should be a list, not {kind_of(value)}")
            return []
        rows = []
        for number, one in enumerate(value):
            place = (*self._place, name, number)
            if isinstance(one, dict):
                rows.append(Fields(self._document, self._source, place, self.problems))
            else:
                says = f"{name_of(place)}: should be a mapping, not {kind_of(one)}"
                self.problems.append((self._document.line(place), says))
        return rows

    def look_for_slips(self, known: Collection[str]) -> None:
        """A field that nobody knows is left alone, unless it is a known one misspelt: that would say nothing."""
        for name in [name for name in self.values if name not in known]:
            import difflib

            missing = [one for one in known if one not in self.values]
            if near := difflib.get_close_matches(name.casefold(), missing, n=1, cutoff=_NEAR):
                self.wrong(name, f"unknown field; did you mean '{near[0]}'?")


def _general(document: Document) -> list[tuple[int, str]]:
    """What is wrong whatever it means, like a field that is given twice."""
    said = [(place, line, message) for place, line, message in document.problems if message != NO_VALUE]
    return [(line, f"{name_of(place)}: {message}") for place, line, message in said]
