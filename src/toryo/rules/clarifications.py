"""Answers added to a specification, under `## Clarifications`; every other character stays as it is."""

import re
from collections.abc import Sequence

from toryo.domain.facts import fact
from toryo.domain.planning import Answer

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t\r]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SECTION = "Clarifications"


@fact
class _Heading:
    line: int
    level: int
    title: str


def with_clarifications(text: str, day: str, answers: Sequence[Answer]) -> str:
    """The text with what was asked and answered on a day, in the section of that day."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = _LINE.findall(text)
    headings = _headings(lines)
    section = _found(headings, 2, _SECTION)
    session = _found(_below(headings, section), 3, f"Session {day}") if section else None
    new = [f"- Q: {_on_one_line(answer.question)} → A: {_on_one_line(answer.text)}" for answer in answers]
    if session is None:
        new = [f"### Session {day}", "", *new]
    if section is None:
        new = [f"## {_SECTION}", "", *new]
    place = _last_line(lines, headings, session or section)
    if place and not (session and lines[place - 1].lstrip().startswith("-")):
        new = ["", *new]
    if place < len(lines) and lines[place].strip():
        new = [*new, ""]
    added = "".join(line + newline for line in new)
    if place and not lines[place - 1].endswith("\n"):
        added = newline + added
    return "".join(lines[:place]) + added + "".join(lines[place:])


def _headings(lines: Sequence[str]) -> list[_Heading]:
    found = []
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence:
            is_end = opened and opened[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if is_end else fence
        elif opened:
            fence = opened[1]
        elif heading := _HEADING.match(line.rstrip("\n")):
            found.append(_Heading(number, len(heading[1]), heading[2]))
    return found


def _found(headings: Sequence[_Heading], level: int, title: str) -> _Heading | None:
    wanted = title.casefold()
    return next((each for each in headings if each.level == level and each.title.casefold() == wanted), None)


def _below(headings: Sequence[_Heading], parent: _Heading) -> list[_Heading]:
    below = []
    for each in headings:
        if each.line > parent.line:
            if each.level <= parent.level:
                break
            below.append(each)
    return below


def _last_line(lines: Sequence[str], headings: Sequence[_Heading], part: _Heading | None) -> int:
    """Behind the last line that says something in the part; without one, in the whole text."""
    end = len(lines)
    if part:
        later = (each.line for each in headings if each.line > part.line and each.level <= part.level)
        end = next(later, end)
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
