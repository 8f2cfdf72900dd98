"""The sentences of a list that are about the order of its tasks."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from toryo.adapters.tasklists.blocks import Block, Kind
from toryo.adapters.tasklists.sections import Heading, Placed, is_about_order
from toryo.domain.tasklist import Entry
from toryo.rules.dependencywords import Said, Statement, Unclear, said_of_order, said_of_task
from toryo.rules.tasknames import Names, Reference

_CODE = re.compile(r"`([^`\n]{0,200})`")
_NAME_ONLY = re.compile(r"[A-Za-z]{0,10}[-_]?\d[\w.,–\- ]{0,80}")
_EDGE = re.compile(r"[*~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|<!--.{0,200}?-->")
_DRAWING = re.compile(r"[│├└┬┐┘┌┴┼↓↘↙▼]")
_ABOUT_PROOF = re.compile(r"\W*(?:acceptance|criteri|verif|受け入れ|requirements?\b|_requirements)", re.IGNORECASE)


def said_in(
    blocks: Sequence[Placed],
    entries: Sequence[Entry],
    details: Mapping[str, tuple[int, str]],
    headings: Mapping[Heading, Sequence[str]],
    after: Mapping[str, tuple[str, ...]],
    names: Names,
) -> list[Said]:
    """What the tasks, the headings above them and the sections about dependencies say."""
    found: list[Said] = []
    for entry in entries:
        if entry.key in after:
            found += _for_programs(entry, after[entry.key], names)
            continue
        for line, text in _of_entry(entry, *details[entry.key]):
            found += said_of_task(text, line, names, (entry.key,))
    for heading, keys in headings.items():
        said = said_of_task(without_markup(heading.text), heading.line, names, tuple(keys))
        found += [each for each in said if isinstance(each, Statement)]
    tasks = {entry.line for entry in entries}
    about: list[tuple[int, tuple[Reference, ...]]] = []
    for at in blocks:
        if at.block.kind is Kind.HEADING:
            about.clear()
        elif at.block.line not in tasks and is_about_order(tuple(each for each in at.path if each not in headings)):
            found += _of_section(at.block, names, about)
    return found


def _for_programs(entry: Entry, after: tuple[str, ...], names: Names) -> Iterator[Said]:
    own = (Reference(0, 0, entry.key, keys=(entry.key,), is_task=True),)
    for key in after:
        is_known = key in names.known
        earlier = Reference(
            0, 0, key, keys=(key,) if is_known else (), missing=() if is_known else (key,), is_task=True
        )
        yield Statement(entry.line, own, (earlier,))


def _of_section(block: Block, names: Names, about: list[tuple[int, tuple[Reference, ...]]]) -> Iterable[Said]:
    if block.kind in (Kind.CODE, Kind.TABLE):
        return _drawn(block, names)
    if block.kind not in (Kind.ITEM, Kind.PROSE):
        return ()
    while about and about[-1][0] >= block.depth:
        about.pop()
    said, whom = said_of_order(without_markup(block.text), block.line, names, about[-1][1] if about else ())
    about.append((block.depth, whom))
    return said


def _drawn(block: Block, names: Names) -> Iterator[Said]:
    """Arrows in a code block count; tables and what is drawn with lines are not understood."""
    first = block.line + (block.last_line - block.line + 1 > block.text.count("\n"))
    named = tuple(reference for reference in names.references(block.text) if reference.is_task and reference.keys)
    if not named:
        return
    if block.kind is Kind.TABLE or _DRAWING.search(block.text):
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
