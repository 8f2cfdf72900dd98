"""From blocks to the tasks they tell of, before anything is known about their order."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from toryo.adapters.tasklists.blocks import Block, Kind
from toryo.adapters.tasklists.heads import Box, Head, box_of, head_of, is_usual, task_prefixes
from toryo.adapters.tasklists.sections import Path, Placed, is_about_criteria, is_about_order
from toryo.domain.tasklist import Remark

_ID_HEADING = re.compile(r"[*_`\[]{0,3}(?:T(?:ASK)?[-_ ]?\d|task[ -]?\d|タスク ?\d)", re.IGNORECASE)


@dataclass(slots=True)
class Draft:
    """A task being read."""

    block: Block
    path: Path
    head: Head
    box: Box | None
    parent: "Draft | None" = None
    last_line: int = 0
    key: str = ""

    @property
    def line(self) -> int:
        return self.block.line


@dataclass(slots=True)
class Drafting:
    """The drafts of one list, and what was noticed."""

    drafts: list[Draft] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def drafts_of(blocks: Sequence[Placed]) -> Drafting:
    """Checkboxes are tasks; where there are none, items or headings that begin with an id."""
    boxes = [(at, box) for at in blocks if at.block.kind is Kind.ITEM and (box := box_of(at.block.text))]
    prefixes = task_prefixes(box.rest for at, box in boxes if not is_about_criteria(at.path))
    headed = [at for at in blocks if at.block.kind is Kind.HEADING and _is_task_heading(at)]
    if headed and not any(head_of(box.rest, prefixes).id for at, box in boxes if not is_about_criteria(at.path)):
        return _from_headings(blocks, headed, prefixes)
    if not boxes:
        return _from_plain_items(blocks)
    return _from_boxes(boxes, prefixes)


def _from_boxes(boxes: Iterable[tuple[Placed, Box]], prefixes: frozenset[str]) -> Drafting:
    found = Drafting()
    heads = [(at, box, head_of(box.rest, prefixes)) for at, box in boxes]
    outside = [head for at, _, head in heads if not is_about_criteria(at.path) and not at.block.is_quoted]
    has_ids = any(head.id for head in outside)
    around: list[Draft] = []
    for at, box, head in heads:
        block = at.block
        inside = _those_around(block, around)
        if block.is_quoted:
            found.remarks.append(Remark(block.line, "a checkbox in a quotation is not taken for a task"))
        elif inside and not head.id:
            continue
        elif outside and is_about_criteria(at.path) and not (head.id and has_ids and _same_kind(head, outside)):
            said = f"a checkbox under '{at.path[-1].text.strip()}' is taken for a criterion, not for a task"
            found.remarks.append(Remark(block.line, said))
        elif not box.rest.strip():
            found.remarks.append(Remark(block.line, "a checkbox without any text is left out"))
        else:
            found.remarks += _about(block, box)
            draft = Draft(block, at.path, head, box, inside[-1] if inside else None, block.last_line)
            found.drafts.append(draft)
            around.append(draft)
    return found


def _those_around(block: Block, drafts: list[Draft]) -> list[Draft]:
    """Of the drafts so far those the block is inside of, outermost first; the others are dropped."""
    while drafts and drafts[-1].block.last_line < block.line:
        drafts.pop()
    return drafts


def _same_kind(head: Head, others: Sequence[Head]) -> bool:
    """An id like those of the tasks: T009 among T001 … T008, and not A-001."""
    return any(other.id and _letters(other.id) == _letters(head.id) for other in others)


def _letters(identifier: str) -> str:
    return re.split(r"[-_ \d]", identifier, maxsplit=1)[0].upper()


def _about(block: Block, box: Box) -> list[Remark]:
    remarks = []
    if not is_usual(box.mark) and box.mark:
        remarks.append(Remark(block.line, f"the mark [{box.mark}] is not known; the task counts as open"))
    if box.is_optional:
        remarks.append(Remark(block.line, "the task is marked as optional; it is done like the others"))
    return remarks


# ── lists without checkboxes ─────────────────────────────────────────────────


def _is_task_heading(at: Placed) -> bool:
    return at.block.depth > 1 and bool(_ID_HEADING.match(at.block.text)) and not is_about_order(at.path)


def _from_headings(blocks: Sequence[Placed], headed: Sequence[Placed], prefixes: frozenset[str]) -> Drafting:
    found = Drafting()
    by_line: dict[int, Draft] = {}
    for at in headed:
        head = head_of(at.block.text, prefixes)
        if head.id:
            by_line[at.block.line] = Draft(at.block, at.path, head, None, None, at.block.last_line)
    for at in blocks:
        for heading in at.path:
            if at.block.kind is not Kind.HEADING and (draft := by_line.get(heading.line)):
                draft.last_line = max(draft.last_line, at.block.last_line)
    found.drafts = list(by_line.values())
    if found.drafts:
        said = "the tasks are headings here; all of them count as open, and none can be ticked"
        found.remarks.append(Remark(found.drafts[0].line, said))
    return found


def _from_plain_items(blocks: Sequence[Placed]) -> Drafting:
    found = Drafting()
    around: list[Draft] = []
    for at in blocks:
        if at.block.kind is not Kind.ITEM or is_about_order(at.path) or at.block.is_quoted:
            continue
        head = head_of(at.block.text, frozenset({"T", "TASK"}))
        inside = _those_around(at.block, around)
        if head.id and not head.id[0].isdigit():
            draft = Draft(at.block, at.path, head, None, inside[-1] if inside else None, at.block.last_line)
            found.drafts.append(draft)
            around.append(draft)
    if found.drafts:
        said = "the tasks have no checkboxes here; all of them count as open, and none can be ticked"
        found.remarks.append(Remark(found.drafts[0].line, said))
    return found
