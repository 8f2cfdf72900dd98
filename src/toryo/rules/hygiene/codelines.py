"""The rules for lines of code, which have to be told from comments and strings first."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from toryo.domain.difference import FileDifference, Line
from toryo.domain.hygiene import Rule
from toryo.rules.hygiene import omissions, skipped_tests, swallowing, todos
from toryo.rules.hygiene.languages import is_test, language_of
from toryo.rules.hygiene.scanning import Scanned, scanned

_LONGEST_LINE = 4000
"""Longer ones are made by machines."""


def broken_rules(file: FileDifference, text: str, moved: Counter[str]) -> Iterator[tuple[Rule, Line]]:
    """Rule and line for each fault in what was added; `moved` are the lines that were taken away anywhere."""
    path, language = file.path, language_of(file.path)
    there = text.split("\n")
    added = {number: said for number, said in file.added if _is_there(there, number, said)}
    may_skip = is_test(path) or language == "rust"
    interesting = {number: said for number, said in added.items() if _is_of_interest(said, may_skip)}
    may_swallow = bool(added) and bool(swallowing.MAY_MATCH.search(text))
    if not interesting and not may_swallow:
        return
    lines = scanned(text, language)
    for number, said in interesting.items():
        rule = _rule_broken(path, language, lines, number)
        if rule and not _has_moved(said, moved):
            yield rule, (number, said)
    if may_swallow:
        yield from _swallowed(language, text, lines, added, moved)


def _is_of_interest(text: str, may_skip: bool) -> bool:
    return len(text) <= _LONGEST_LINE and bool(
        todos.MAY_MATCH.search(text)
        or omissions.MAY_MATCH.search(text)
        or (may_skip and skipped_tests.MAY_MATCH.search(text))
    )


def _is_there(lines: Sequence[str], number: int, said: str) -> bool:
    """The file on disk is the one that was compared; a filter of git's may have made another one of it."""
    return number <= len(lines) and lines[number - 1].removesuffix("\r") == said


def _rule_broken(path: str, language: str, lines: Scanned, number: int) -> Rule | None:
    code, comment = lines.code[number - 1], lines.comments[number - 1]
    if (comment and todos.is_put_off(comment)) or todos.is_stub(code, language):
        return Rule.TODO
    goes_on = lines.is_comment(number) and lines.is_comment(number - 1)
    if comment and (omissions.is_omission(comment, goes_on=goes_on) or _is_lonely_ellipsis(lines, number)):
        return Rule.OMISSION
    if omissions.is_bare_omission(code):
        return Rule.OMISSION
    if skipped_tests.is_skipping(path, language, lines, number):
        return Rule.SKIPPED_TEST
    return None


def _is_lonely_ellipsis(lines: Scanned, number: int) -> bool:
    """Dots alone, on a line of their own and not among other comments, as in an example."""
    is_alone = lines.is_comment(number) and omissions.is_ellipsis(lines.comments[number - 1])
    return is_alone and not lines.is_comment(number - 1) and not lines.is_comment(number + 1)


def _has_moved(said: str, moved: Counter[str]) -> bool:
    """The same line was taken away elsewhere: it is not new."""
    if moved[said.strip()] <= 0:
        return False
    moved[said.strip()] -= 1
    return True


def _swallowed(
    language: str, text: str, lines: Scanned, added: Mapping[int, str], moved: Counter[str]
) -> Iterator[tuple[Rule, Line]]:
    for numbers in swallowing.swallowed(text, language, lines):
        first = next((number for number in numbers if number in added and added[number].strip(" \t}")), None)
        if first is not None and not _has_moved(added[first], moved):
            yield Rule.SWALLOWED, (first, added[first])
