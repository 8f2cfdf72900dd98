"""Reads the text of a list of tasks; whatever it does not understand is in the remarks."""

import re
import textwrap
from collections.abc import Iterable, Sequence

from toryo.adapters.tasklists.blocks import Kind, blocks_of, lines_of
from toryo.adapters.tasklists.drafts import Draft, drafts_of
from toryo.adapters.tasklists.heads import paths_in, plain, without_order
from toryo.adapters.tasklists.keying import give_keys, groups_of
from toryo.adapters.tasklists.sections import (
    Heading,
    Path,
    Placed,
    outermost_phase,
    phase_headings,
    placed,
)
from toryo.adapters.tasklists.sentences import said_in
from toryo.adapters.tasklists.unread import spans, unread
from toryo.domain.tasklist import Entry, Phase, Remark, TaskList
from toryo.rules.listedorder import stated_order
from toryo.rules.tasklists import with_dependencies
from toryo.rules.tasknames import Names

MOST_ABOUT_A_PHASE = 2000
MOST_ABOUT_A_TASK = 4000
"""From which a title is made."""
_FILES = re.compile(r"\W*(?:files?|paths?|ファイル|パス)\b", re.IGNORECASE)
_ORDER = (
    re.compile(r"^\W*(?:depend|blocked by|blocks|requires|after|needs|prereq)\b.*\d|^\W*depend", re.IGNORECASE),
    re.compile(r"に依存\W*$|^前提|^依存|(?:完了後|の後)\W*$"),
)
_TITLE_LABEL = re.compile(r"(?i)^(?:tasks?|タスク)(?:\s+list)?\s*[:：]\s*")


def read_tasklist(text: str, name: str = "tasks") -> TaskList:
    """The list in a text; never fails, but its remarks may be errors."""
    lines = lines_of(text)
    blocks = list(placed(blocks_of(lines)))
    drafting = drafts_of(blocks)
    drafts, remarks = give_keys(drafting.drafts)
    remarks = drafting.remarks + remarks
    groups = groups_of(drafts)
    shape = _Shape(lines, blocks, drafts, groups)
    entries = shape.entries()
    if not entries:
        remarks.append(Remark(1, "there is no task in this file; a task is a line like '- [ ] T001 What to do'", True))
    names = Names(entries, shape.phases, groups)
    after = {draft.key: draft.head.after for draft in drafts if draft.head.after is not None}
    said = said_in(blocks, entries, shape.details, shape.headings, after, names)
    stated = stated_order(entries, shape.phases, shape.section_titles, said)
    ordered, more = with_dependencies(entries, shape.phases, stated)
    remarks += [*shape.remarks, *more]
    remarks += unread(lines, blocks, entries, drafts, remarks)
    return TaskList(_title(blocks, name), shape.phases, ordered, _in_order(remarks))


class _Shape:
    """Phases, sections and entries made of drafts."""

    def __init__(
        self,
        lines: Sequence[str],
        blocks: Sequence[Placed],
        drafts: Sequence[Draft],
        groups: dict[str, tuple[str, ...]],
    ) -> None:
        self.lines, self.blocks, self.drafts, self.groups = lines, blocks, drafts, groups
        self.remarks: list[Remark] = []
        self.details: dict[str, tuple[int, str]] = {}
        """By key: the line on which the rest of its text begins, and that text."""
        self.headings: dict[Heading, list[str]] = {}
        """The headings above tasks, with the keys below each."""
        self.section_titles: dict[int, str] = {}
        self._sections: dict[tuple[object, ...], int] = {}
        self._phase_at = self._find_phases()
        self.phases = self._phases()
        self._starts = {draft.line: draft for draft in drafts}
        self._groups_by_key = {draft.key: draft for draft in drafts if draft.key in groups}

    def _find_phases(self) -> dict[int, Heading]:
        headings = [(Heading.of(at.block), at.path) for at in self.blocks if at.block.kind is Kind.HEADING]
        return phase_headings((draft.path for draft in self.drafts), headings)

    def _phases(self) -> tuple[Phase, ...]:
        about: dict[int, list[str]] = {}
        inside = spans((draft.line, draft.last_line) for draft in self.drafts)
        for at in self.blocks:
            heading = self._phase_of(at.path)
            if heading and at.block.kind is Kind.PROSE and not at.block.depth and at.block.line not in inside:
                about.setdefault(heading.line, []).append(at.block.text)
        found = [
            Phase(plain(heading.text), line, "\n\n".join(about.get(line, ()))[:MOST_ABOUT_A_PHASE])
            for line, heading in self._phase_at.items()
        ]
        is_any_outside = any(not self._phase_of(draft.path) for draft in self.drafts)
        return (Phase("", 1), *found) if is_any_outside or not found else tuple(found)

    def _phase_of(self, path: Path) -> Heading | None:
        named = outermost_phase(path)
        if named and named.line in self._phase_at:
            return named
        return next((heading for heading in path if heading.line in self._phase_at), None)

    def entries(self) -> tuple[Entry, ...]:
        place_of = {phase.line: place for place, phase in enumerate(self.phases) if phase.title}
        return tuple(self._entry(draft, place_of) for draft in self.drafts if not self._is_group(draft))

    def _is_group(self, draft: Draft) -> bool:
        if draft.key not in self.groups:
            return False
        members = self.groups[draft.key]
        said = f"{draft.key} stands for {', '.join(members[:6])}{' …' if len(members) > 6 else ''}"
        self.remarks.append(Remark(draft.line, f"{said}, and is not done by itself"))
        return True

    def _entry(self, draft: Draft, place_of: dict[int, int]) -> Entry:
        phase = self._phase_of(draft.path)
        for heading in draft.path:
            self.headings.setdefault(heading, []).append(draft.key)
        start, below = self._below(draft)
        self.details[draft.key] = start, below
        rest = draft.head.rest
        files = [line for line in below.split("\n") if _FILES.match(line)]
        first = re.sub(r"<!--.{0,200}?-->", "", rest[:MOST_ABOUT_A_TASK].replace("\n", " ")).rstrip()
        title = plain(without_order(first, _ORDER))
        if not title:
            self.remarks.append(Remark(draft.line, f"{draft.key} does not say what is to be done"))
        return Entry(
            key=draft.key,
            line=draft.line,
            title=title or draft.key,
            text="\n\n".join(part for part in (self._above(draft), rest.strip(), below) if part),
            is_done=bool(draft.box and draft.box.is_done),
            is_parallel=draft.head.is_parallel,
            story=draft.head.story,
            phase=place_of.get(phase.line, 0) if phase else 0,
            section=self._section(draft),
            paths=tuple(dict.fromkeys((*paths_in(rest), *(path for line in files for path in paths_in(line))))),
            last_line=draft.last_line,
            has_checkbox=draft.box is not None,
        )

    def _section(self, draft: Draft) -> int:
        """Numbers what stands under the same heading, in the same group, below the same task."""
        last = draft.path[-1] if draft.path else None
        is_outline = draft.key[0].isdigit() and draft.head.after is None
        group = draft.key.rpartition(".")[0] if is_outline else ""
        name = last.line if last else 0, group, draft.parent.key if draft.parent else ""
        number = self._sections.setdefault(name, len(self._sections))
        self.section_titles[number] = last.text if last else ""
        return number

    def _below(self, draft: Draft) -> tuple[int, str]:
        """What stands below its first paragraph, without the tasks that are listed there themselves."""
        start = draft.line + draft.block.text.count("\n") + 1
        kept: list[str] = []
        line = start
        while line <= draft.last_line:
            inner = self._starts.get(line)
            if inner and inner is not draft:
                kept += [""] * (inner.last_line - line + 1)
                line = inner.last_line + 1
            else:
                kept.append(self.lines[line - 1].expandtabs(4))
                line += 1
        return start, textwrap.dedent("\n".join(kept)).rstrip() if any(part.strip() for part in kept) else ""

    def _above(self, draft: Draft) -> str:
        """What its group or the task it stands below is about."""
        above = draft.key
        said = []
        while "." in above:
            above = above.rpartition(".")[0]
            if group := self._groups_by_key.get(above):
                said.append(f"Part of {above}: {' '.join((plain(group.head.rest), self._below(group)[1])).strip()}")
        if not said and draft.parent and draft.parent.key != draft.key:
            said.append(f"Belongs to {draft.parent.key}: {plain(draft.parent.head.rest)}")
        return "\n\n".join(said)


# ── the rest of the page ─────────────────────────────────────────────────────


def _title(blocks: Iterable[Placed], name: str) -> str:
    for at in blocks:
        if at.block.kind is Kind.HEADING and at.block.depth == 1:
            return _TITLE_LABEL.sub("", plain(at.block.text)) or name
    return name


def _in_order(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """By line; the same said of lines that follow each other is said once."""
    merged: list[Remark] = []
    for remark in sorted(dict.fromkeys(remarks), key=lambda remark: (remark.line, remark.text)):
        before = merged[-1] if merged else None
        if before and before.text == remark.text and remark.line <= max(before.line, before.last_line) + 2:
            merged[-1] = Remark(before.line, before.text, before.is_error, max(remark.line, remark.last_line))
        else:
            merged.append(remark)
    return tuple(merged)
