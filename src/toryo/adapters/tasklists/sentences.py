"""The sentences of a list that are about the order of its tasks."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from toryo.adapters.tasklists.blocks import Block, Kind
from toryo.adapters.tasklists.sections import Heading, Placed, is_about_order
from toryo.domain.tasklist import Entry, Remark
from toryo.rules.dependencywords import Said, Statement, Unclear, said_of_order, said_of_task
from toryo.rules.tasknames import Names, Reference

_CODE = re.compile(r"`([^`\n]{0,200})`")
_NAME_ONLY = re.compile(r"[A-Za-z]{0,10}[-_]?\d[\w.,–\- ]{0,80}")
_EDGE = re.compile(r"[*~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|<!--.{0,400}?-->")
_DRAWING = re.compile(r"[│├└┬┐┘┌┴┼↓↘↙▼]")
_ABOUT_PROOF = re.compile(r"\W*(?:acceptance|criteri|verif|受け入れ|requirements?\b|_requirements)", re.IGNORECASE)


@dataclass(slots=True)
class Sentences:
    said: list[Said] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def said_in(
    blocks: Sequence[Placed],
    entries: Sequence[Entry],
    details: Mapping[str, tuple[int, str]],
    headings: Mapping[Heading, Sequence[str]],
    names: Names,
) -> Sentences:
    """What the tasks, the headings above them and the sections about dependencies say."""
    found = Sentences()
    for entry in entries:
        for line, text in _of_entry(entry, *details[entry.key]):
            found.said += said_of_task(text, line, names, (entry.key,))
    for heading, keys in headings.items():
        said = said_of_task(without_markup(heading.text), heading.line, names, tuple(keys))
        found.said += [each for each in said if isinstance(each, Statement)]
    inside = {line for entry in entries for line in (entry.line,)}
    about: list[tuple[int, tuple[Reference, ...]]] = []
    for at in blocks:
        if at.block.kind is Kind.HEADING:
            about.clear()
        elif is_about_order(at.path) and at.block.line not in inside:
            _take(at.block, names, about, found)
    return found


def _take(block: Block, names: Names, about: list[tuple[int, tuple[Reference, ...]]], found: Sentences) -> None:
    match block.kind:
        case Kind.ITEM | Kind.PROSE:
            while about and about[-1][0] >= block.depth:
                about.pop()
            above = about[-1][1] if about else ()
            said, whom = said_of_order(without_markup(block.text), block.line, names, above)
            found.said += said
            about.append((block.depth, whom))
        case Kind.CODE:
            found.said += _drawn(block, names)
        case Kind.TABLE | Kind.COMMENT | Kind.HEADING:
            return


def _drawn(block: Block, names: Names) -> Iterator[Said]:
    """Arrows in a code block count; what is drawn with lines is not understood."""
    first = block.line + (block.last_line - block.line + 1 > block.text.count("\n"))
    named = tuple(reference for reference in names.references(block.text) if reference.is_task and reference.keys)
    if not named:
        return
    if _DRAWING.search(block.text):
        yield Unclear(block.line, named)
        return
    for number, line in enumerate(block.text.split("\n")):
        yield from said_of_order(line, first + number, names)[0]


def _of_entry(entry: Entry, start: int, below: str) -> Iterator[tuple[int, str]]:
    """The text of a task and of what stands below it, without code, quotations and criteria."""
    head_lines = start - entry.line
    own = entry.text.removesuffix(below) if below else entry.text
    yield entry.line, without_markup("\n".join(own.rstrip().split("\n")[-head_lines:]))
    is_code = False
    for number, line in enumerate(below.split("\n")):
        if line.lstrip(" -*+").startswith(("```", "~~~")):
            is_code = not is_code
        elif line and not is_code and not line.lstrip(" -*+").startswith(">") and not _ABOUT_PROOF.match(line):
            yield start + number, without_markup(line)


def without_markup(text: str) -> str:
    """Without emphasis and comments; of code only names stay."""
    text = _CODE.sub(lambda found: found[1] if _NAME_ONLY.fullmatch(found[1]) else "…", text)
    return _EDGE.sub("", text)
