"""How a list of tasks names its tasks, phases and stories, and what such a name in a sentence stands for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toryo.domain.tasklist import Entry, Phase

_DASH = r"\s{0,2}(?:-|–|—|〜|～|~|\.{2,3}|…|to\s|through\s|から)\s{0,2}"
_NUMBER = r"\d{1,9}(?:\.\d{1,9}){0,4}"
_END = r"(?![A-Za-z0-9])"
_PHASE_WORD = r"(?:phases?|stages?|steps?|milestones?|waves?|sprints?|フェーズ|フェイズ|段階|ステップ|阶段)"
_STORY_WORD = r"(?:user\s{1,2}stor(?:y|ies)|US|stor(?:y|ies)|ユーザーストーリー|ストーリー)"
_ALL_STORIES = (
    r"(?:all|every|any|each)\s(?:[a-z]{1,12}\s)?user\sstor(?:y|ies)|user\sstories|all\sstories"
    r"|(?:全て?の?|すべての)(?:ユーザー)?ストーリー"
)
_EVERYTHING = r"everything(?:\selse)?|all\s(?:other\s|remaining\s)?tasks|(?:全て?の?|すべての)タスク|他のすべて"
PHASE_HEADING = re.compile(_PHASE_WORD + r"\s{0,3}[-#]?\s{0,3}(\d{1,4}(?:\.\d{1,4})?|[A-Z]\b)", re.IGNORECASE)
STORY_NAME = re.compile(_STORY_WORD + r"[\s:-]{0,3}(\d{1,4})", re.IGNORECASE)
_ID = re.compile(r"([A-Za-z]*)[-_ #]*(\d+(?:\.\d+)*)([A-Za-z]?)$")
_TOO_COMMON = frozenset({"core", "phase", "tasks", "task", "user", "story", "final", "basic", "main", "part", "with"})


Canonical = tuple[str, tuple[int, ...], str]
"""A name as prefix, numbers and last letter."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A name in a sentence, from `start` to `end`: of tasks, or of phases; `missing` is what does not exist."""

    start: int
    end: int
    said: str
    keys: tuple[str, ...] = ()
    phases: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    is_task: bool = False
    is_everything: bool = False
    is_named: bool = False
    """A phase by a word of its heading, which may be an ordinary word as well."""
    is_doubtful: bool = False
    """It may as well be a plain number."""


def canonical(key: str) -> Canonical:
    """T7, T-007 and t007 are the same name."""
    found = _ID.search(key)
    if not found:
        return key.upper(), (), ""
    prefix = found[1].upper().removesuffix("ASK") if found[1].upper() == "TASK" else found[1].upper()
    return prefix, tuple(int(part[:9]) for part in found[2].split(".")), found[3].lower()


class Names:
    """All names of one list."""

    def __init__(
        self, entries: Sequence[Entry], phases: Sequence[Phase], groups: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.entries, self.phases, self.groups = entries, phases, groups
        self.known = {entry.key: entry for entry in entries}
        self._by_name: dict[Canonical, tuple[str, ...]] = {canonical(key): (key,) for key in reversed(self.known)}
        for key, members in groups.items():
            self._by_name.setdefault(canonical(key), members)
        self._numbers = {_number_of(phase.title): place for place, phase in reversed(list(enumerate(phases)))}
        self._stories = _stories(entries, phases)
        self._words = _words(phases)
        self._pattern = self._compiled()

    def _compiled(self) -> re.Pattern[str]:
        letters = {found[1] for key in self.known if (found := _ID.match(key)) and found[1]} | {"T", "TASK"}
        prefix = "(?:" + "|".join(sorted(map(re.escape, letters), key=len, reverse=True)) + r")[-_ ]?"
        task = rf"{prefix}{_NUMBER}[A-Za-z]?"
        parts = [
            rf"(?P<task>{task}){_END}(?:{_DASH}(?P<until>{task}|\d{{1,9}}){_END})?(?P<on>\+)?",
            rf"(?P<phase>{_PHASE_WORD}\s{{0,3}}(?P<phase_number>{_NUMBER})){_END}"
            rf"(?:{_DASH}(?:{_PHASE_WORD}\s{{0,2}})?(?P<phase_until>\d{{1,4}}){_END})?(?P<phase_on>\+)?",
            rf"(?P<story>{_STORY_WORD}[\s:-]{{0,2}}(?P<story_number>\d{{1,4}})){_END}"
            rf"(?:{_DASH}(?:US)?(?P<story_until>\d{{1,4}}){_END})?",
            rf"(?P<stories>{_ALL_STORIES})",
            rf"(?P<everything>{_EVERYTHING})",
        ]
        if any(key[:1].isdigit() for key in (*self.known, *self.groups)):
            parts.insert(1, rf"(?P<outline>\d{{1,6}}(?:\.\d{{1,6}}){{0,4}})(?!\.\d){_END}")
        if self._words:
            named = "|".join(sorted(map(re.escape, self._words), key=len, reverse=True))
            parts.append(rf"(?P<named>{named}){_END}")
        return re.compile(r"(?<![A-Za-z0-9_./-])(?:" + "|".join(parts) + ")", re.IGNORECASE)

    def references(self, sentence: str) -> list[Reference]:
        return list(self._found(sentence))

    def _found(self, sentence: str) -> Iterator[Reference]:
        for found in self._pattern.finditer(sentence):
            place = found.start(), found.end(), found[0]
            group = found.groupdict()
            if found["task"]:
                keys, missing = self._tasks(found["task"], found["until"], has_no_end=bool(found["on"]))
                yield Reference(*place, keys=keys, missing=missing, is_task=True)
            elif group.get("outline"):
                members = self._by_name.get(canonical(found["outline"]), ())
                missing = () if members else (found["outline"],)
                is_doubtful = "." not in found["outline"] or bool(missing)
                yield Reference(*place, keys=members, missing=missing, is_task=True, is_doubtful=is_doubtful)
            elif found["phase"]:
                yield self._phase(place, found)
            elif found["story"]:
                yield self._story(place, found)
            elif found["stories"]:
                yield self._all_stories(place)
            elif found["everything"]:
                yield Reference(*place, is_everything=True)
            else:
                yield Reference(*place, phases=(self._words[found["named"].casefold()],), is_named=True)

    def _tasks(self, first: str, until: str | None, *, has_no_end: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        start = canonical(first)
        if until and until.isdigit():
            until = f"{start[0]}{until}"
        ends = [name for name in (first, until) if name]
        missing = tuple(name for name in ends if canonical(name) not in self._by_name)
        if not until and not has_no_end:
            return self._by_name.get(start, ()), missing
        last = canonical(until)[1] if until else (10**9,)
        keys = [key for key in self.known if (name := canonical(key))[0] == start[0] and start[1] <= name[1] <= last]
        return tuple(keys), missing

    def _phase(self, place: tuple[int, int, str], found: re.Match[str]) -> Reference:
        first, until = found["phase_number"], found["phase_until"]
        if found["phase_on"]:
            until = "9999"
        if not until:
            phase = self._numbers.get(first.upper())
            return Reference(
                *place, phases=() if phase is None else (phase,), missing=() if phase is not None else (first,)
            )
        inside = tuple(sorted(place_ for number, place_ in self._numbers.items() if _is_between(first, number, until)))
        return Reference(*place, phases=inside, missing=() if inside else (found["phase"],))

    def _story(self, place: tuple[int, int, str], found: re.Match[str]) -> Reference:
        first = int(found["story_number"])
        phases: list[int] = []
        keys: list[str] = []
        missing: list[str] = []
        for number in range(first, min(int(found["story_until"] or first), first + 99) + 1):
            in_phases, in_keys = self._stories.get(number, ((), ()))
            phases += in_phases
            keys += () if in_phases else in_keys
            if not in_phases and not in_keys:
                missing.append(f"US{number}")
        return Reference(*place, keys=tuple(keys), phases=tuple(phases), missing=tuple(missing))

    def _all_stories(self, place: tuple[int, int, str]) -> Reference:
        phases = [phase for in_phases, _ in self._stories.values() for phase in in_phases]
        keys = [key for in_phases, in_keys in self._stories.values() if not in_phases for key in in_keys]
        missing = () if phases or keys else (place[2],)
        return Reference(*place, keys=tuple(keys), phases=tuple(dict.fromkeys(phases)), missing=missing)

    @property
    def story_phases(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(phase for in_phases, _ in self._stories.values() for phase in in_phases))


def _number_of(heading: str) -> str:
    found = PHASE_HEADING.search(heading)
    return found[1].upper() if found else ""


def _is_between(first: str, number: str, last: str) -> bool:
    try:
        return float(first) <= float(number) <= float(last) + 0.999
    except ValueError:
        return False


def _stories(entries: Iterable[Entry], phases: Sequence[Phase]) -> dict[int, tuple[tuple[int, ...], tuple[str, ...]]]:
    """By number: the phases that are about a story, and the tasks that carry its label."""
    in_phases: dict[int, list[int]] = {}
    for place, phase in enumerate(phases):
        if found := STORY_NAME.search(phase.title):
            in_phases.setdefault(int(found[1]), []).append(place)
    in_keys: dict[int, list[str]] = {}
    for entry in entries:
        if found := STORY_NAME.search(entry.story):
            in_keys.setdefault(int(found[1]), []).append(entry.key)
    numbers = dict.fromkeys((*in_phases, *in_keys))
    return {number: (tuple(in_phases.get(number, ())), tuple(in_keys.get(number, ()))) for number in numbers}


def _words(phases: Sequence[Phase]) -> dict[str, int]:
    """The short names of phases (Setup, Foundational, Polish), where they name one phase only."""
    places: dict[str, set[int]] = {}
    for place, phase in enumerate(phases):
        title = PHASE_HEADING.sub("", phase.title)
        name = re.split(r"[(（\[]|\s[-–—]\s", title.strip(" :：.-–—*#"), maxsplit=1)[0].strip(" :：.-–—*#")
        if STORY_NAME.search(title) or not name:
            continue
        for word in {name, name.split()[0].strip(",&:")}:
            if len(word) > 3 - 2 * (not word.isascii()) and word.casefold() not in _TOO_COMMON and not word.isdigit():
                places.setdefault(word.casefold(), set()).add(place)
    return {word: where.pop() for word, where in places.items() if len(where) == 1}
