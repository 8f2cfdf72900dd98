"""Which headings a block stands under, and what sort of section that makes it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toryo.adapters.tasklists.blocks import Block, Kind
from toryo.rules.tasknames import PHASE_HEADING

_DEPENDENCIES = re.compile(r"dependenc|execution order|task order|order of execution|依存|実行順", re.IGNORECASE)
_CRITERIA = re.compile(
    r"checklist|acceptance|criteria|definition of done|\bdod\b|validation\b|\bgates?\b"
    r"|チェックリスト|受け入れ|完了条件",
    re.IGNORECASE,
)
_STRATEGY = re.compile(
    r"strategy|parallel|並列|example|notes\b|format|convention|戦略|例|ノート|フォーマット|規約", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    line: int

    names_a_phase: bool
    is_about_order: bool
    is_about_criteria: bool

    @classmethod
    def of(cls, block: Block) -> "Heading":
        names_a_phase = bool(PHASE_HEADING.search(block.text))
        is_about_order = bool(_DEPENDENCIES.search(block.text)) and not names_a_phase
        is_about_criteria = bool(_CRITERIA.search(block.text)) and not names_a_phase
        return cls(block.depth, block.text, block.line, names_a_phase, is_about_order, is_about_criteria)


Path = tuple[Heading, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and the headings above it, outermost first."""

    block: Block
    path: Path


def placed(blocks: Iterable[Block]) -> Iterator[Placed]:
    path: list[Heading] = []
    for block in blocks:
        if block.kind is Kind.HEADING:
            while path and path[-1].level >= block.depth:
                path.pop()
            yield Placed(block, tuple(path))
            path.append(Heading.of(block))
        else:
            yield Placed(block, tuple(path))


def is_about_order(path: Path) -> bool:
    """Its sentences say what comes first; a phase that installs dependencies is not meant."""
    return any(heading.is_about_order for heading in path)


def is_about_criteria(path: Path) -> bool:
    """Its checkboxes are ticked by whoever reviews, not by whoever does the work."""
    return any(heading.is_about_criteria for heading in path[-2:])


def is_about_the_list(path: Path) -> bool:
    """It explains the list, and is not a phase of it."""
    return any(_STRATEGY.search(heading.text) and not heading.names_a_phase for heading in path)


def phase_headings(task_paths: Iterable[Path], all_headings: Iterable[tuple[Heading, Path]]) -> dict[int, Heading]:
    """By line: the headings that are phases, also those without tasks if they are called so."""
    paths = list(task_paths)
    phases = {found.line: found for path in paths if (found := outermost_phase(path))}
    if phases:
        called_so = {
            heading.line: heading
            for heading, path in all_headings
            if heading.names_a_phase and not outermost_phase(path) and not _explains(heading, path)
            if PHASE_HEADING.match(heading.text.lstrip("*_[# "))
        }
        phases |= called_so
    shared = _shared(paths)
    for path in paths:
        if not outermost_phase(path) and len(path) > shared:
            phases[path[shared].line] = path[shared]
        elif not outermost_phase(path) and path and path[-1].level > 1:
            phases[path[-1].line] = path[-1]
    return dict(sorted(phases.items()))


def outermost_phase(path: Path) -> Heading | None:
    return next((heading for heading in path if heading.level > 1 and heading.names_a_phase), None)


def _explains(heading: Heading, path: Path) -> bool:
    own = (*path, heading)
    return is_about_order(path) or is_about_the_list(path) or is_about_the_list(own)


def _shared(paths: list[Path]) -> int:
    """How many headings all tasks stand under."""
    if not paths:
        return 0
    shared = min(len(path) for path in paths)
    for depth in range(shared):
        if len({path[depth].line for path in paths}) > 1:
            return depth
    return shared
