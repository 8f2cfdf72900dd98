"""The beginning of a task: its checkbox, id, marks and story, and what is left as its title."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from toryo.rules.tasknames import STORY_NAME, canonical

CHECKBOX = re.compile(r"\[([ xX\u3000✓✔~/>!?-]?)\](\*?)(?![(\[:])[ \t\u3000]*")
_DONE = frozenset("xX✓✔")
_OPEN = frozenset(" \u3000")
_WRAP = r"[*_`~\[(]{0,4}"
_UNWRAP = r"[*_`~\])]{0,4}"
_NUMBERED = re.compile(
    rf"{_WRAP}(?P<id>(?P<prefix>[A-Za-z]{{1,10}})[-_]?\d{{1,9}}(?:\.\d{{1,9}}){{0,4}}(?:[A-Za-z]|[-_]\d{{1,4}})?)"
    rf"(?![A-Za-z0-9/])(?:\.(?!\w))?[:：]?{_UNWRAP}[:：.)]?(?=\s|$|[-–—\[（(「]|[^\x00-\x7f])"
)
_SPELLED = re.compile(
    rf"{_WRAP}(?P<id>(?:tasks?|タスク)[ \t]{{0,2}}#?\d{{1,9}}(?:\.\d{{1,9}}){{0,4}}){_UNWRAP}(?=[\s:：.)-]|$)", re.I
)
_OUTLINE = re.compile(
    rf"{_WRAP}(?P<id>\d{{1,6}}(?:\.\d{{1,6}}){{1,4}}|\d{{1,6}}(?=[*_]{{0,3}}[.:：)](?:[\s*_]|$)))(?![A-Za-z0-9])"
    rf"\.?[:：]?{_UNWRAP}[:：.)]?(?=\s|$)"
)
_PLACEHOLDER = re.compile(rf"{_WRAP}T[XN?#]{{1,4}}\d?{_UNWRAP}[:：]?(?=\s|$)")
_AFTER_ID = re.compile(r"[\s:：]{0,4}(?:[-–—][ \t])?[ \t]*")
_LABEL = re.compile(r"[*_`]{0,3}(?:\[([^\[\]`\n]{1,40})\](?!\()|[(（]([^()（）\n]{1,30})[)）])[*_`]{0,3}[:：]?[ \t]*")
_LAST_PARALLEL = re.compile(r"[ \t]*[*_`]{0,3}(?:\[P\]|[(（]P[)）])[*_`]{0,3}[ \t]*$")
_OWN_KEY = re.compile(r"<!-- key: ([A-Za-z0-9._-]{1,64}); after:([A-Za-z0-9._, -]{0,20000}) -->$")
"""As views/tasklist.py writes keys that do not look like ids."""
_STORY = re.compile(r"(?:user ?)?story\b|^us[ -]?\d|ストーリー|^s\d{1,3}$", re.IGNORECASE)
_PARALLEL = frozenset({"p", "parallel", "並列", "並行", "並列可", "並列可能", "p?"})
CRITERIA = frozenset({"AC", "FR", "NFR", "REQ", "SC", "US", "BR", "CHK", "P", "UC", "ADR", "DES", "R", "V"})
"""Prefixes of requirements, criteria and priorities, which are not tasks."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the first paragraph of a task says."""

    id: str = ""
    rest: str = ""
    story: str = ""
    is_parallel: bool = False
    is_placeholder: bool = False
    after: tuple[str, ...] | None = None
    """What it waits for, where a comment says so for programs."""


@dataclass(frozen=True, slots=True)
class Box:
    is_done: bool
    mark: str
    is_optional: bool
    rest: str


def box_of(text: str) -> Box | None:
    """The checkbox at the beginning of an item."""
    found = CHECKBOX.match(text)
    if not found:
        return None
    return Box(found[1] in _DONE, found[1], bool(found[2]), text[found.end() :])


def is_usual(mark: str) -> bool:
    return mark in _DONE or mark in _OPEN


def task_prefixes(texts: Iterable[str]) -> frozenset[str]:
    """T and TASK, and every other prefix that at least two items begin with: one HTTP2 makes no id."""
    seen: dict[str, set[object]] = {}
    for text in texts:
        found = _NUMBERED.match(text)
        if found and found["prefix"].isupper() and found["prefix"] not in CRITERIA:
            seen.setdefault(found["prefix"], set()).add(canonical(found["id"]))
    return frozenset(prefix for prefix, ids in seen.items() if len(ids) > 1) | {"T", "TASK"}


def head_of(text: str, prefixes: Collection[str]) -> Head:
    """Reads id and marks off the beginning of a task's text."""
    if own := _OWN_KEY.search(text):
        story, is_parallel, rest = _labels(text[: own.start()].rstrip())
        return Head(own[1], rest, story, is_parallel, after=tuple(own[2].replace(",", " ").split()))
    found = _NUMBERED.match(text)
    if found and found["prefix"].upper() not in prefixes:
        found = None
    found = found or _SPELLED.match(text) or _OUTLINE.match(text)
    placeholder = None if found else _PLACEHOLDER.match(text)
    at = found.end() if found else placeholder.end() if placeholder else 0
    after = _AFTER_ID.match(text, at) if at else None
    story, is_parallel, rest = _labels(text[after.end() :] if after else text)
    return Head(found["id"] if found else "", rest, story, is_parallel, placeholder is not None)


def _labels(text: str) -> tuple[str, bool, str]:
    story, is_parallel, kept, at = "", False, [], 0
    while found := _LABEL.match(text, at):
        label = (found[1] or found[2]).strip()
        if label.casefold() in _PARALLEL:
            is_parallel = True
        elif _STORY.search(label):
            story = story or _story(label)
        elif found[1]:
            kept.append(found[0].rstrip())
        else:
            break
        at = found.end()
    rest = " ".join((*kept, text[at:])) if kept else text[at:]
    if last := _LAST_PARALLEL.search(rest[-20:]):
        is_parallel, rest = True, rest[: len(rest) - len(last[0])]
    return story, is_parallel, rest


def _story(label: str) -> str:
    found = STORY_NAME.search(label)
    return f"US{int(found[1])}" if found else re.sub(r"(?i)^(?:user )?story\s*[:：]?\s*", "", label)


def key_of(identifier: str) -> str:
    """The id with nothing in it but what a key may have."""
    spelled = re.sub(r"(?i)^(?:tasks?|タスク)[ \t#]*(?=\d)", "Task-", identifier)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", spelled).strip("-.")[:64]


# ── titles ───────────────────────────────────────────────────────────────────

_MARKUP = re.compile(
    r"(`[^`\n]+`)|\\([!-/:-@\[-`{-~])|<!--.{0,400}?-->|!?\[([^\[\]\n]{1,200})\]\([^()\s]{0,400}(?:\([^()\s]{0,100}\)[^()\s]{0,100})?\)"
    r"|(\*\*|__|~~)"
)


def plain(text: str) -> str:
    """One line without emphasis, links and comments; code stays as it is."""
    return " ".join(_MARKUP.sub(lambda found: found[1] or found[2] or found[3] or "", text).split())


_LAST_NOTE = re.compile(
    r"\s*[(（]([^()（）]{1,200})[)）][\s.。]*$|\s+[—–-]\s+((?:depends|blocked|after|requires)\b[^()]{1,120})$", re.I
)


def without_order(text: str, is_order: Iterable[re.Pattern[str]]) -> str:
    """The text without a last remark that only says what it waits for."""
    found = _LAST_NOTE.search(text[-260:])
    note = (found[1] or found[2]) if found else ""
    if found and any(pattern.search(note) for pattern in is_order):
        return text[: len(text) - len(found[0])]
    return text


# ── files ────────────────────────────────────────────────────────────────────

_SPAN = re.compile(r"`([^`\s]{1,200})`")
_BARE = re.compile(r"(?<![\w./@:-])((?:[\w.@\[\]{}-]{1,80}/){1,12}(?:[\w.@\[\]{}-]{1,80})?)", re.ASCII)
_FILE = re.compile(
    r"[^/]*[^/.]\.[A-Za-z][A-Za-z0-9]{0,7}$|^\.[A-Za-z][\w.-]*$|(?:^|/)(?:Makefile|Dockerfile|LICENSE|README)$"
)
_DOCUMENTS = frozenset(
    {"plan.md", "spec.md", "tasks.md", "research.md", "data-model.md", "quickstart.md", "requirements.md", "design.md"}
)


def paths_in(text: str) -> tuple[str, ...]:
    """Paths that are named, in backticks or with a slash in them; folders end with a slash."""
    found: dict[str, None] = {}
    for match in _SPAN.finditer(text):
        if _is_path(match[1]):
            found[match[1]] = None
    for match in _BARE.finditer(_SPAN.sub(" ", text)):
        path = match[1].rstrip(".")
        if _is_path(path) and (path.endswith("/") or _FILE.search(path)):
            found[path] = None
    return tuple(found)


def _is_path(said: str) -> bool:
    if said.startswith(("/", "http", "-", "..")) or re.search(r"[()=<>{}\[\]$*|,;:\"'\\]", said):
        return False
    if said.rsplit("/", 1)[-1] in _DOCUMENTS and "/" not in said:
        return False
    return said.endswith("/") or bool(_FILE.search(said))
