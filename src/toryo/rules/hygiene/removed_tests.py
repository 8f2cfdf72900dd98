"""Tests that went away without coming back somewhere else."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from toryo.domain.difference import Difference, FileDifference, Line
from toryo.domain.evidence import Change
from toryo.rules.hygiene.languages import is_test, language_of

_NAMED = r"""(?:\.each(?:\([^)]*\)|`[^`]*`)?)?\s*\(?\s*(?P<quote>["'`])(?P<name>.+?)(?P=quote)"""
_JAVASCRIPT = re.compile(rf"^\s*[xf]?(?:it|test|specify)(?:\.\w+)*{_NAMED}")
_ATTRIBUTE = {
    "rust": (re.compile(r"^\s*#\[(?:\w+::)*(?:test|rstest)\b"), re.compile(r"\bfn\s+(?P<name>\w+)")),
    "java": (re.compile(r"^\s*@(?:ParameterizedTest|RepeatedTest|Test)\b"), re.compile(r"\bvoid\s+(?P<name>\w+)\s*\(")),
    "kotlin": (re.compile(r"^\s*@(?:ParameterizedTest|Test)\b"), re.compile(r"\bfun\s+(?P<name>`[^`]+`|\w+)")),
    "csharp": (re.compile(r"^\s*\[(?:Fact|Theory|Test|TestMethod|TestCase)\b"), re.compile(r"\b(?P<name>\w+)\s*\(")),
}
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "python": re.compile(r"^\s*(?:async\s+)?def\s+(?P<name>test\w*)\s*\("),
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "go": re.compile(r"^func\s+(?P<name>(?:Test|Fuzz|Example)\w*)\s*\("),
    "ruby": re.compile(
        r"""^\s*(?:[xf]?(?:it|specify|test|scenario)\s+(?P<quote>["'])(?P<name>.+?)(?P=quote)|def\s+(?P<method>test_\w+))"""
    ),
    "php": re.compile(r"\bfunction\s+(?P<name>test\w+)\s*\("),
    "swift": re.compile(r"\bfunc\s+(?P<name>test\w+)\s*\("),
    "elixir": re.compile(r"""^\s*test\s+"(?P<name>.+?)\""""),
    "shell": re.compile(r"""^\s*@test\s+(?P<quote>["'])(?P<name>.+?)(?P=quote)"""),
    "c": re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO)\s*\((?P<name>[^)]*)\)"),
    "cpp": re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO)\s*\((?P<name>[^)]*)\)"),
}
_MERGED_INTO_ONE = re.compile(r"parametri[sz]e|\.each\b|ParameterizedTest|\[Theory|\brstest\b|subTest\(|\bt\.Run\(")
_ALIKE = 0.6
_AFFIXES = re.compile(r"^(?:test_|test-)|(?:_tests?|[._-](?:test|tests|spec)|Tests?|Spec|_spec)$")

Removed = tuple[FileDifference, int, str]
"""The file, the line before, and the name of a test."""


def removed_tests(found: Difference) -> Iterator[tuple[str, str]]:
    """The path and, in words, which test is gone."""
    files = [file for file in found.files if file.is_text and _may_hold_tests(file)]
    came = Counter(name for file in files for hunk in file.hunks for name in names_in(hunk.added, file.path))
    gone = [test for file in files for test in _gone_from(file, came)]
    deleted = {file.path for file in files if file.change is Change.DELETED}
    orphaned = _whose_subject_went(found)
    for path in sorted(deleted - orphaned):
        left = [name for file, _, name in gone if file.path == path]
        if left or not _had_tests(found, path):
            yield path, f"deleted{': ' + ', '.join(left) if left else ''}"
    for file, _, name in gone:
        if file.path not in deleted:
            yield file.path, name


def _may_hold_tests(file: FileDifference) -> bool:
    return is_test(file.path) or is_test(file.old_path or file.path) or language_of(file.path) == "rust"


def _had_tests(found: Difference, path: str) -> bool:
    """Tests were recognised in it, so that their going elsewhere could be seen."""
    moved = {PurePosixPath(file.path).name for file in found.files if file.change is Change.CREATED}
    files = [file for file in found.files if file.path == path]
    has_names = any(names_in(hunk.removed, path) for file in files for hunk in file.hunks)
    return has_names or PurePosixPath(path).name in moved or not _is_named_like_a_test(path)


def _is_named_like_a_test(path: str) -> bool:
    return bool(_AFFIXES.search(PurePosixPath(path).stem))


def _whose_subject_went(found: Difference) -> set[str]:
    """Test files of sources that were deleted with them."""
    deleted = [file.path for file in found.files if file.change is Change.DELETED]
    subjects = {PurePosixPath(path).stem.lower() for path in deleted if not is_test(path) and language_of(path)}
    return {
        path for path in deleted if is_test(path) and _AFFIXES.sub("", PurePosixPath(path).stem).lower() in subjects
    }


def _gone_from(file: FileDifference, came: Counter[str]) -> Iterator[Removed]:
    """Tests that were taken out of a file, without those that moved, were renamed or became one with others."""
    new = Counter(name for hunk in file.hunks for name in names_in(hunk.added, file.path))
    for hunk in file.hunks:
        taken = names_in(hunk.removed, file.path)
        missing = [(name, number) for name, number in taken.items() if not came[name]]
        if not missing or _MERGED_INTO_ONE.search("\n".join(text for _, text in hunk.added)):
            continue
        fresh = [name for name in names_in(hunk.added, file.path) if name not in taken]
        for name, number in missing[len(fresh) :]:
            if not any(_is_alike(name, other) for other in new if other not in fresh):
                yield file, number, name


def _is_alike(name: str, other: str) -> bool:
    return SequenceMatcher(None, name, other, autojunk=False).ratio() >= _ALIKE and len(name) < 200


def names_in(lines: Iterable[Line], path: str) -> dict[str, int]:
    """The tests that begin on these lines, each with its line."""
    language = language_of(path)
    if pair := _ATTRIBUTE.get(language):
        return dict(_after_attributes(list(lines), *pair))
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return {}
    found = [(pattern.search(text), number) for number, text in lines if len(text) < 1000]
    return {_name(match): number for match, number in found if match}


def _name(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return str(groups.get("method") or groups["name"])


def _after_attributes(
    lines: list[Line], attribute: re.Pattern[str], name: re.Pattern[str]
) -> Iterator[tuple[str, int]]:
    for place, (_, text) in enumerate(lines):
        if attribute.search(text[:1000]):
            rest = [text[:1000].rpartition("]")[2], *(text[:1000] for _, text in lines[place + 1 : place + 6])]
            named = next((match for line in rest if (match := name.search(line))), None)
            if named:
                yield named["name"], lines[place][0]
