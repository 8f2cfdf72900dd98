"""What a review cites in favour of a criterion, looked up: a place in a file, a check, a quotation."""

import re
from collections.abc import Mapping
from dataclasses import field

from toryo.domain.changing import changed
from toryo.domain.evidence import Change, CheckResult, CheckStatus, FileChange
from toryo.domain.facts import fact
from toryo.domain.review import Criterion

MOST_CITED = 60
"""Files that are looked up for one review."""
_MOST_OF_ONE = 8
_SHORTEST_QUOTE = 6
_LINE = r"(?:(?::|#L)(?P<line>\d{1,7})(?:[-–]L?(?P<last>\d{1,7}))?)?"
_PATH = re.compile(
    r"(?:(?<![\w/])\./)?(?P<path>(?:(?<!\w)\.)?[A-Za-z0-9_@+][A-Za-z0-9_.@+-]*(?:/[A-Za-z0-9_.@+-]+)*)" + _LINE
)
"""Without other letters than these: in Japanese, words follow a path without a space."""
_CHECK = re.compile(r"\bcheck(?:s)?(?::\s*|\s+)(?P<mark>['\"`]?)(?P<name>[\w.-]+)(?P=mark)", re.IGNORECASE)
_QUOTE = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|「([^」\n]+)」|`([^`\n]+)`")


@fact
class Ground:
    """What there is to be cited."""

    changes: tuple[FileChange, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    """Of files of the tree, how many lines they have."""
    results: tuple[CheckResult, ...] = ()
    text: str = ""
    """The difference, or the written result, as the reviewing model saw it."""


@fact
class _Place:
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


def cited_paths(criteria: tuple[Criterion, ...], changes: tuple[FileChange, ...]) -> list[str]:
    """The files that have to be looked at before what is cited can be judged."""
    places = [place for criterion in criteria for place in _places(criterion.evidence, changes)]
    names = [name for place in places for name in (_resolved(place.path, changes), place.path)]
    return list(dict.fromkeys(names))[:MOST_CITED]


def looked_up(criterion: Criterion, ground: Ground) -> Criterion:
    """The criterion with what of its evidence is there, and what is not."""
    seen: list[str] = []
    unseen: list[str] = []
    _look_for_checks(criterion.evidence, ground, seen, unseen)
    _look_for_places(_CHECK.sub(" ", criterion.evidence), ground, seen, unseen)
    if not seen and not unseen:
        _look_for_quotes(criterion.evidence, ground, seen, unseen)
    return changed(criterion, seen=_few(seen), unseen=_few(unseen))


def _few(found: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:_MOST_OF_ONE]


# ── checks ───────────────────────────────────────────────────────────────────


def _look_for_checks(evidence: str, ground: Ground, seen: list[str], unseen: list[str]) -> None:
    known = {result.name: result for result in ground.results}
    for found in _CHECK.finditer(evidence):
        name = found["name"].rstrip(".")
        result = known.get(name)
        is_meant = bool(found["mark"]) or ":" in found[0]
        if result is None:
            # "check that …" is no citation.
            unseen += [f"cites the check '{name}', which did not run"] if is_meant else []
        elif result.status is CheckStatus.PASSED:
            seen.append(f"check {name} passed")
        else:
            unseen.append(f"cites the check '{name}', which did not pass")


# ── places ───────────────────────────────────────────────────────────────────


def _look_for_places(evidence: str, ground: Ground, seen: list[str], unseen: list[str]) -> None:
    deleted = {change.path for change in ground.changes if change.change is Change.DELETED}
    touched = {change.path for change in ground.changes}
    for place in _places(evidence, ground.changes):
        path = _resolved(place.path, ground.changes)
        lines = ground.lines.get(path, ground.lines.get(place.path))
        if path in deleted:
            seen.append(f"{path} (deleted)")
        elif lines is None and path not in touched:
            unseen += [f"cites {place}, which is not there"] if _is_surely_a_path(place) else []
        elif lines is not None and place.line > lines:
            unseen.append(f"cites {place}, but the file has {lines} lines")
        else:
            seen.append(str(_Place(path if path in touched or path in ground.lines else place.path, place.line)))


def _places(evidence: str, changes: tuple[FileChange, ...]) -> list[_Place]:
    found = []
    for path in sorted((change.path for change in changes if not _is_plain(change.path)), key=len, reverse=True):
        while match := re.search(re.escape(path) + _LINE, evidence):
            found.append(_place(path, match))
            evidence = evidence[: match.start()] + " " + evidence[match.end() :]
    for match in _PATH.finditer(evidence):
        path = match["path"].rstrip(".")
        if "/" in path or "." in path[1:] or match["line"]:
            found.append(_place(path, match))
    return found[:_MOST_OF_ONE]


def _is_plain(path: str) -> bool:
    """Recognised by its shape; other names only where a changed file is called so."""
    match = _PATH.fullmatch(path)
    return match is not None and match["path"] == path


def _place(path: str, match: re.Match[str]) -> _Place:
    return _Place(path, int(match["last"] or match["line"] or 0))


def _resolved(path: str, changes: tuple[FileChange, ...]) -> str:
    """The changed file that is meant: as a difference names it, or by the end of its path where that is only one."""
    touched = [change.path for change in changes]
    for name in (path, path.removeprefix("a/"), path.removeprefix("b/")):
        if name in touched:
            return name
    ending = [name for name in touched if name.endswith(f"/{path}")]
    return ending[0] if len(ending) == 1 else path


def _is_surely_a_path(place: _Place) -> bool:
    """`json.dumps` may be a name in the code; what has a line, or a folder and an ending, is a file."""
    folder, _, name = place.path.rpartition("/")
    return bool(place.line) or (bool(folder) and "." in name)


# ── quotations ───────────────────────────────────────────────────────────────


def _look_for_quotes(evidence: str, ground: Ground, seen: list[str], unseen: list[str]) -> None:
    there = _spaceless(ground.text)
    for match in _QUOTE.finditer(evidence):
        quote = next(part for part in match.groups() if part)
        if len(quote.strip()) < _SHORTEST_QUOTE:
            continue
        if _spaceless(quote) in there:
            seen.append(f"“{quote.strip()}”")
        else:
            unseen.append(f"quotes “{quote.strip()}”, which is not in what was shown")


def _spaceless(text: str) -> str:
    return "".join(text.split())
