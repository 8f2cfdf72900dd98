"""From the order in which tasks are written, and what is stated about it, to what each of them depends on."""

import dataclasses
import graphlib
from collections.abc import Iterable, Mapping, Sequence

from toryo.domain.tasklist import Entry, Phase, Remark
from toryo.rules.graph import separate_cycles
from toryo.rules.listedorder import Stated

MOST_SIDE_BY_SIDE = 50
"""Parallel tasks beyond this go in several groups, one after the other."""
MOST_NAMES = 12

Groups = dict[int, list[list[str]]]


def with_dependencies(
    entries: Sequence[Entry], phases: Sequence[Phase], stated: Stated
) -> tuple[tuple[Entry, ...], list[Remark]]:
    """Open entries with the fewest dependencies that keep every order; done ones have none."""
    known = {entry.key: entry for entry in entries if not entry.is_done}
    waits = {key: {other: line for other, line in stated.tasks[key].items() if other in known} for key in known}
    remarks = list(stated.remarks)
    problems = _circles(waits, entries) + _phase_circles(stated, phases)
    if problems:
        return tuple(entries), remarks + problems
    order = _phase_order(len(phases) or 1, stated)
    arranged, places = _arranged(known, waits, order, remarks)
    groups = _groups(arranged, known, places, stated)
    edges = {key: set(waits[key]) for key in arranged}
    _add_written_order(edges, groups, order, stated)
    problems = _circles(edges, entries)
    if problems:
        return tuple(entries), remarks + problems
    reduced = _reduced(edges, arranged, known, remarks)
    return tuple(
        entry if entry.is_done else dataclasses.replace(entry, depends_on=reduced[entry.key]) for entry in entries
    ), remarks


# ── circles ──────────────────────────────────────────────────────────────────


def _circles(edges: Mapping[str, Iterable[str]], entries: Sequence[Entry]) -> list[Remark]:
    lines = {entry.key: entry.line for entry in entries}
    remarks = []
    for circle in separate_cycles({key: tuple(earlier) for key, earlier in edges.items()}):
        shown = circle if len(circle) <= MOST_NAMES else (*circle[: MOST_NAMES - 2], "…", *circle[-2:])
        where = ", ".join(str(lines[key]) for key in shown[:-1] if key in lines)
        text = f"circular dependency: {' → '.join(shown)} (lines {where})"
        remarks.append(Remark(lines[circle[0]], text, is_error=True))
    return remarks


def _phase_circles(stated: Stated, phases: Sequence[Phase]) -> list[Remark]:
    remarks = []
    edges = {str(place): tuple(map(str, stated.phases.get(place, ()))) for place in range(len(phases))}
    for circle in separate_cycles(edges):
        line = stated.phases[int(circle[0])][int(circle[1])]
        titles = " → ".join(phases[int(place)].title for place in circle)
        remarks.append(Remark(line, f"these phases wait for each other: {titles}", is_error=True))
    return remarks


# ── order ────────────────────────────────────────────────────────────────────


def _phase_order(count: int, stated: Stated) -> list[int]:
    """As written, but for phases that wait for a later one."""
    placed: dict[int, None] = {}
    for phase in range(count):
        waiting = [phase]
        while waiting:
            ahead = [other for other in sorted(stated.phases.get(waiting[-1], ())) if other not in placed]
            if ahead:
                waiting.append(ahead[0])
            else:
                placed[waiting.pop()] = None
    return list(placed)


def _arranged(
    known: Mapping[str, Entry], waits: Mapping[str, Mapping[str, int]], order: Sequence[int], remarks: list[Remark]
) -> tuple[list[str], dict[str, int]]:
    """All tasks in the order in which they can be done, and the phase in which each is done."""
    rank = {phase: place for place, phase in enumerate(order)}
    written = sorted(known, key=lambda key: rank.get(known[key].phase, 0))
    arranged: dict[str, int] = {}
    for first in written:
        waiting = [] if first in arranged else [first]
        while waiting:
            ahead = next((other for other in waits[waiting[-1]] if other not in arranged), None)
            if ahead:
                where = f"which is written later (line {known[ahead].line}); it goes first"
                remarks.append(Remark(known[waiting[-1]].line, f"{waiting[-1]} depends on {ahead}, {where}"))
                waiting.append(ahead)
            else:
                arranged.setdefault(waiting.pop(), known[first].phase)
    return list(arranged), arranged


def _groups(arranged: Iterable[str], known: Mapping[str, Entry], places: Mapping[str, int], stated: Stated) -> Groups:
    """By phase: what may run side by side, in rows that follow each other."""
    groups: Groups = {}
    last_section: dict[int, int | None] = {}
    for key in arranged:
        entry, phase = known[key], places[key]
        rows = groups.setdefault(phase, [])
        is_parallel = (entry.is_parallel or key in stated.parallel) and key not in stated.doubtful
        section = entry.section if is_parallel else None
        if rows and section is not None and last_section[phase] == section and len(rows[-1]) < MOST_SIDE_BY_SIDE:
            rows[-1].append(key)
        else:
            rows.append([key])
        last_section[phase] = section
    return groups


def _add_written_order(edges: Mapping[str, set[str]], groups: Groups, order: Sequence[int], stated: Stated) -> None:
    ends: dict[int, set[str]] = {}
    behind: dict[int, set[int]] = {}
    for number, phase in enumerate(order):
        earlier = order[:number]
        mates = {mate for together in stated.together if phase in together for mate in together}
        wanted = set(stated.phases.get(phase, ()))
        if phase not in stated.complete:
            wanted |= set(earlier) - mates
        before: set[str] = set()
        behind[phase] = set()
        for other in sorted(wanted, key=order.index, reverse=True):
            if other not in behind[phase]:
                before |= ends.get(other, set())
                behind[phase] |= behind.get(other, set()) | {other}
        before |= {key for key in stated.phase_tasks.get(phase, ()) if key in edges}
        rows = groups.get(phase, [])
        ends[phase] = set(rows[-1]) if rows else before
        for row in rows:
            for key in row:
                edges[key].update(before - {key})
            before = set(row)


def _reduced(
    edges: Mapping[str, set[str]], arranged: Sequence[str], known: Mapping[str, Entry], remarks: list[Remark]
) -> dict[str, tuple[str, ...]]:
    """The same order with as few dependencies as it takes; tasks that touch the same file follow each other."""
    rank = {key: place for place, key in enumerate(arranged)}
    if any(rank[other] > rank[key] for key in arranged for other in edges[key]):
        arranged = list(graphlib.TopologicalSorter(edges).static_order())
        rank = {key: place for place, key in enumerate(arranged)}
    before: dict[str, int] = {}
    touched: dict[str, str] = {}
    reduced = {}
    for key in arranged:
        earlier = edges[key]
        covered = 0
        for other in earlier:
            covered |= before[other] | 1 << rank[other]
        for other in _same_files(known[key], touched):
            if not covered >> rank[other] & 1:
                text = f"{key} touches the same file as {other} (line {known[other].line}), so it waits for it"
                remarks.append(Remark(known[key].line, text))
                earlier.add(other)
                covered |= before[other] | 1 << rank[other]
        before[key] = covered
        reduced[key] = _nearest(earlier, rank, before)
    return reduced


def _nearest(earlier: Iterable[str], rank: Mapping[str, int], before: Mapping[str, int]) -> tuple[str, ...]:
    """Without those that others of them wait for anyway."""
    kept: list[str] = []
    covered = 0
    for other in sorted(earlier, key=rank.__getitem__, reverse=True):
        if not covered >> rank[other] & 1:
            kept.append(other)
            covered |= before[other]
    return tuple(reversed(kept))


def _same_files(entry: Entry, touched: dict[str, str]) -> list[str]:
    """The last task before it for each of its files."""
    files = [path for path in entry.paths if not path.endswith("/")]
    earlier = [touched[path] for path in files if path in touched]
    touched.update(dict.fromkeys(files, entry.key))
    return list(dict.fromkeys(earlier))
