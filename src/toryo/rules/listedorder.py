"""What a list of tasks states about their order, gathered from its sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toryo.domain.tasklist import Entry, Phase, Remark
from toryo.rules.dependencywords import Free, Said, Statement, TestsFirst, Together, Unclear
from toryo.rules.tasknames import Reference

MOST_PAIRS = 20_000
"""Of one sentence; more means that it was not about single tasks."""
_TESTS = re.compile(r"\btests?\b|テスト", re.IGNORECASE)
_IMPLEMENTATION = re.compile(r"\bimplement|実装", re.IGNORECASE)


@dataclass(slots=True)
class Stated:
    """The order as stated; what is not stated here follows from how the list is written."""

    tasks: dict[str, dict[str, int]]
    """By key: what it waits for, and the line that says so."""
    phases: dict[int, dict[int, int]] = field(default_factory=dict)
    """By phase: the phases it waits for, and the line that says so."""
    phase_tasks: dict[int, dict[str, int]] = field(default_factory=dict)
    complete: set[int] = field(default_factory=set)
    """Phases of which the list says all that they wait for."""
    together: list[frozenset[int]] = field(default_factory=list)
    parallel: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    """Tasks about which something is said that was not understood: they keep the written order."""
    remarks: list[Remark] = field(default_factory=list)


def stated_order(
    entries: Sequence[Entry], phases: Sequence[Phase], sections: Mapping[int, str], said: Iterable[Said]
) -> Stated:
    gathering = _Gathering(entries, phases, sections)
    for each in said:
        gathering.take(each)
    return gathering.stated


class _Gathering:
    def __init__(self, entries: Sequence[Entry], phases: Sequence[Phase], sections: Mapping[int, str]) -> None:
        self.entries, self.phases, self.sections = entries, phases, sections
        self.place = {entry.key: place for place, entry in enumerate(entries)}
        self.in_phase: dict[int, list[str]] = {}
        for entry in entries:
            self.in_phase.setdefault(entry.phase, []).append(entry.key)
        self.stated = Stated({entry.key: {} for entry in entries})

    def take(self, said: Said) -> None:
        match said:
            case Statement():
                self._statement(said)
            case Free(_, which):
                self.stated.complete.update(phase for found in which for phase in found.phases)
            case Together(_, which):
                self._together(which)
            case TestsFirst():
                self._tests_first(said.line)
            case Unclear(line, which):
                self._unclear(line, which)

    def _statement(self, said: Statement) -> None:
        if self._has_missing(said):
            return
        later, earlier = self._keys(said.later), self._keys(said.earlier)
        later_phases, earlier_phases = _phases(said.later), _phases(said.earlier)
        if any(not found.is_task and self._is_inside(later, found) for found in said.earlier):
            self._unclear(said.line, said.later)
            return
        if any(found.is_everything for found in said.later):
            first = min((self.place[key] for key in (*earlier, *self._all_in(earlier_phases))), default=0)
            later += [entry.key for entry in self.entries[first:]]
            later = [key for key in later if key not in {*earlier, *self._all_in(earlier_phases)}]
        if any(found.is_everything for found in said.earlier):
            last = min((self.place[key] for key in (*later, *self._all_in(later_phases))), default=0)
            earlier += [entry.key for entry in self.entries[:last]]
        for phase in later_phases:
            self._phase_waits(phase, [each for each in earlier_phases if each != phase], earlier, said)
        before = [*earlier, *(key for key in self._all_in(earlier_phases) if key not in later)]
        if len(later) * len(before) > MOST_PAIRS:
            self._note(said.line, "names too many tasks at once; say it of phases", is_error=True)
            return
        for key in later:
            self._task_waits(key, before, said.line)

    def _phase_waits(self, phase: int, phases: Iterable[int], tasks: Iterable[str], said: Statement) -> None:
        for other in phases:
            self.stated.phases.setdefault(phase, {}).setdefault(other, said.line)
        for key in tasks:
            if self.entries[self.place[key]].phase != phase:
                self.stated.phase_tasks.setdefault(phase, {}).setdefault(key, said.line)
        if said.is_complete:
            self.stated.complete.add(phase)

    def _task_waits(self, key: str, before: Iterable[str], line: int) -> None:
        for other in before:
            if other == key:
                self._note(line, f"{key} depends on itself", is_error=True)
            else:
                self.stated.tasks[key].setdefault(other, line)

    def _together(self, which: Sequence[Reference]) -> None:
        phases = frozenset(_phases(which))
        if len(phases) > 1:
            self.stated.together.append(phases)
        self.stated.parallel.update(key for found in which if found.is_task for key in found.keys)

    def _tests_first(self, line: int) -> None:
        for keys in self.in_phase.values():
            tests = [key for key in keys if self._is_about(key, _TESTS) and not self._is_about(key, _IMPLEMENTATION)]
            rest = [key for key in keys if self._is_about(key, _IMPLEMENTATION)]
            if len(tests) * len(rest) <= MOST_PAIRS:
                for key in rest:
                    self._task_waits(key, tests, line)

    def _is_about(self, key: str, topic: re.Pattern[str]) -> bool:
        return bool(topic.search(self.sections.get(self.entries[self.place[key]].section, "")))

    def _unclear(self, line: int, which: Sequence[Reference]) -> None:
        keys = self._keys(which)
        if not which:
            self._note(line, "a general rule about the order, not about single tasks; the written order is kept")
        elif keys and all(found.is_task for found in which):
            self.stated.doubtful.update(keys)
            self._note(
                line, f"{_listed(keys)}: what is said about the order is not understood; the written order is kept"
            )
        else:
            self.stated.doubtful.update(keys)
            self._note(line, "what this says about the order is not understood; the written order is kept")

    def _has_missing(self, said: Statement) -> bool:
        missing = [(name, found) for found in (*said.later, *said.earlier) for name in found.missing]
        for name, found in missing:
            if found.is_task:
                self._note(said.line, f"there is no task '{name}'", is_error=True)
            else:
                self._note(said.line, f"there is nothing called '{found.said}' here; the written order is kept")
        if missing:
            self.stated.doubtful.update(self._keys(said.later))
        return bool(missing)

    def _is_inside(self, keys: Iterable[str], whole: Reference) -> bool:
        """A task of a story or phase cannot wait for all of it."""
        return not {*whole.keys, *self._all_in(whole.phases)}.isdisjoint(keys)

    def _keys(self, references: Iterable[Reference]) -> list[str]:
        return list(dict.fromkeys(key for found in references for key in found.keys))

    def _all_in(self, phases: Iterable[int]) -> list[str]:
        return [key for phase in phases for key in self.in_phase.get(phase, ())]

    def _note(self, line: int, text: str, *, is_error: bool = False) -> None:
        self.stated.remarks.append(Remark(line, text, is_error))


def _phases(references: Iterable[Reference]) -> list[int]:
    return list(dict.fromkeys(phase for found in references for phase in found.phases))


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(keys[:6]) + (" …" if len(keys) > 6 else "")
