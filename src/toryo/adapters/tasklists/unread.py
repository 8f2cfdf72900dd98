"""What of a page has not become a task, though it looks like one."""

import re
from collections.abc import Iterable, Sequence

from toryo.adapters.tasklists.blocks import Kind
from toryo.adapters.tasklists.drafts import Draft
from toryo.adapters.tasklists.sections import Placed
from toryo.domain.tasklist import Entry, Remark

_CHECKBOX_LINE = re.compile(r"[ \t>]{0,400}(?:[-*+]|\d{1,9}[.)])?[ \t]*\[[ xX]\](?:[ \t]|$)")
_TABLE_TASK = re.compile(r"\|?[ \t]*[*_`\[]{0,3}(?:T(?:ASK)?[-_]?\d+|\d+\.\d+|\[[ xX]\])", re.IGNORECASE)


def unread(
    lines: Sequence[str],
    blocks: Sequence[Placed],
    entries: Sequence[Entry],
    drafts: Sequence[Draft],
    told: list[Remark],
) -> list[Remark]:
    """Every checkbox is a task, part of one, or mentioned; and so is every table that looks like tasks."""
    inside = spans((draft.line, draft.last_line) for draft in drafts)
    inside |= {line for remark in told for line in range(remark.line, max(remark.line, remark.last_line) + 1)}
    keys = re.compile("|".join(rf"\b{re.escape(entry.key)}\b" for entry in entries[:200]) or r"(?!)")
    remarks = []
    for at in blocks:
        block = at.block
        if block.kind not in (Kind.CODE, Kind.COMMENT, Kind.TABLE) or block.line in inside:
            continue
        content = lines[block.line - 1 : block.last_line]
        if any(_CHECKBOX_LINE.match(line) for line in content) or (
            block.kind is Kind.TABLE and _has_tasks(content, keys)
        ):
            remarks.append(Remark(block.line, f"tasks in a {block.kind} are not read", False, block.last_line))
            inside |= set(range(block.line, block.last_line + 1))
    for number, line in enumerate(lines, 1):
        if number not in inside and _CHECKBOX_LINE.match(line):
            remarks.append(Remark(number, "this checkbox is not understood, and is no task"))
    return remarks


def _has_tasks(rows: Iterable[str], keys: re.Pattern[str]) -> bool:
    return any(_TABLE_TASK.match(row) or "[ ]" in row or "[x]" in row or keys.search(row) for row in rows)


def spans(ranges: Iterable[tuple[int, int]]) -> set[int]:
    """All lines of ranges that are in order and may be inside of each other."""
    covered: set[int] = set()
    reached = 0
    for first, last in ranges:
        covered.update(range(max(first, reached + 1), last + 1))
        covered.add(first)
        reached = max(reached, last)
    return covered
