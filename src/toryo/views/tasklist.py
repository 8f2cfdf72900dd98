"""Planned tasks as a list in Markdown, in the form of spec-kit's tasks.md."""

import re
from collections.abc import Mapping, Sequence

from toryo.domain.plan import PlannedTask

_MARKUP = re.compile(r"[\\*_\[\]<>~()]|^[-:.#]")
_USUAL_KEY = re.compile(r"T\d{3,6}")
_SPAN = re.compile(r"(`[^`]+`)")


def tasklist_text(title: str, tasks: Sequence[PlannedTask], phases: Mapping[str, Sequence[str]] | None = None) -> str:
    """The list that reads as the same keys, titles and order; `phases` has the keys of each, in order."""
    ordered = _in_order(tasks)
    before = _before(ordered)
    parts = [f"# Tasks: {_escaped(title)}"]
    parted = _parted(ordered, phases or {})
    has_ids = all(_USUAL_KEY.fullmatch(task.key) for task in ordered)
    free: list[str] = []
    done: list[str] = []
    for number, (name, members) in enumerate(parted, 1):
        if name:
            parts.append(f"## Phase {number}: {_escaped(name)}")
        if any(not before[task.key].issuperset(done) for task in members):
            free.append(f"- **Phase {number}**: No dependencies, but for those of its tasks")
        side_by_side = _side_by_side([task.key for task in members], before)
        parts.append("\n".join(_task(task, is_parallel=task.key in side_by_side, has_id=has_ids) for task in members))
        done += [task.key for task in members]
    if free:
        parts.append("## Dependencies\n\n" + "\n".join(free))
    return "\n\n".join(parts) + "\n"


def _parted(tasks: Sequence[PlannedTask], phases: Mapping[str, Sequence[str]]) -> list[tuple[str, list[PlannedTask]]]:
    """The phases that have tasks; what is in none of them comes last."""
    named = {key: name for name, keys in phases.items() for key in keys}
    parts = [(name, [task for task in tasks if named.get(task.key) == name]) for name in phases]
    rest = [task for task in tasks if task.key not in named]
    parts.append(("Further tasks" if phases else "", rest))
    return [(name, members) for name, members in parts if members]


def _in_order(tasks: Sequence[PlannedTask]) -> list[PlannedTask]:
    """As planned, but every task after those it depends on."""
    known = {task.key: task for task in tasks}
    placed: dict[str, PlannedTask] = {}
    for task in tasks:
        waiting = [task]
        while waiting:
            ahead = [key for key in waiting[-1].depends_on if key in known and key not in placed]
            if ahead:
                waiting.append(known[ahead[0]])
            else:
                last = waiting.pop()
                placed[last.key] = last
    return list(placed.values())


def _before(tasks: Sequence[PlannedTask]) -> dict[str, set[str]]:
    """By key: all that has to be done before it."""
    before: dict[str, set[str]] = {}
    for task in tasks:
        direct = [key for key in task.depends_on if key in before]
        before[task.key] = set(direct).union(*(before[key] for key in direct))
    return before


def _side_by_side(keys: Sequence[str], before: Mapping[str, set[str]]) -> set[str]:
    """Those that are not each in a row of their own: a new row begins where all that follows waits for all before."""
    rows: list[list[str]] = []
    for place, key in enumerate(keys):
        earlier = set(keys[:place])
        if not rows or all(before[later] >= earlier for later in keys[place:]):
            rows.append([key])
        else:
            rows[-1].append(key)
    return {key for row in rows if len(row) > 1 for key in row}


def _task(task: PlannedTask, *, is_parallel: bool, has_id: bool) -> str:
    """Keys that do not look like ids are named in a comment, as no reader could tell them from words."""
    words = ["- [ ]", *([task.key] if has_id else []), *(["[P]"] if is_parallel else []), _escaped(task.title)]
    if task.depends_on:
        words.append(f"(depends on {', '.join(task.depends_on)})")
    if not has_id:
        words.append(f"<!-- key: {task.key}; after: {', '.join(task.depends_on)} -->")
    lines = [" ".join(words)]
    lines += [f"  - Acceptance: {_escaped(each)}" for each in task.acceptance]
    if files := [*task.expect, *task.scope]:
        lines.append("  - Files: " + ", ".join(f"`{path}`" for path in dict.fromkeys(files)))
    if said := task.description.strip():
        lines += ["", *(f"  > {line}".rstrip() for line in said.splitlines())]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """On one line, and meaning nothing in Markdown but code."""
    parts = _SPAN.split(" ".join(text.split()))
    return "".join(
        part if place % 2 else _MARKUP.sub(r"\\\g<0>", part).replace("`", "\\`") for place, part in enumerate(parts)
    )
