"""Going through the lines that a run added, rule by rule."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from toryo.domain.difference import Difference, FileDifference, Line, readable
from toryo.domain.evidence import Change
from toryo.domain.hygiene import Blemish, Rule
from toryo.rules.hygiene import omissions, skipped_tests, swallowing, todos
from toryo.rules.hygiene.conflicts import markers
from toryo.rules.hygiene.languages import is_prose, is_test, language_of
from toryo.rules.hygiene.removed_tests import removed_tests
from toryo.rules.hygiene.scanning import Scanned, scanned
from toryo.rules.masking import mask

_LONGEST_TEXT = 160
_LONGEST_LINE = 4000
"""Longer ones are made by machines."""


def needs_text(file: FileDifference) -> bool:
    """Whether the whole file is needed to say what its added lines are."""
    if not file.added or is_prose(file.path) or not language_of(file.path):
        return False
    return any(_is_of_interest(text, file.path) for _, text in file.added)


def _is_of_interest(text: str, path: str) -> bool:
    is_skip = is_test(path) or language_of(path) == "rust"
    return len(text) <= _LONGEST_LINE and bool(
        todos.MAY_MATCH.search(text)
        or omissions.MAY_MATCH.search(text)
        or swallowing.MAY_MATCH.search(text)
        or (is_skip and skipped_tests.MAY_MATCH.search(text))
    )


def blemishes_in(
    found: Difference, texts: Mapping[str, str], broken: Mapping[str, Line] | None = None
) -> list[Blemish]:
    """Everything that is against a rule, whatever the terms say about it.

    `texts` are the files that `needs_text`, as they are now; `broken` are those that cannot be parsed any more, each
    with the first line at fault.
    """
    moved = Counter(text.strip() for file in found.files for _, text in file.removed)
    blemishes = [_blemish(Rule.SYNTAX, path, line) for path, line in (broken or {}).items()]
    for file in found.files:
        if file.change is not Change.DELETED and file.is_text:
            blemishes += _in_file(file, texts.get(file.path), moved)
    blemishes += [_blemish(Rule.REMOVED_TEST, path, (line, words)) for path, line, words in removed_tests(found)]
    return sorted(dict.fromkeys(blemishes), key=lambda blemish: (blemish.path, blemish.line, blemish.rule))


def _blemish(rule: Rule, path: str, line: Line) -> Blemish:
    number, text = line
    words = mask(" ".join(text.split()))
    return Blemish(
        rule, readable(path), number, words if len(words) <= _LONGEST_TEXT else f"{words[: _LONGEST_TEXT - 1]}…"
    )


def _in_file(file: FileDifference, text: str | None, moved: Counter[str]) -> Iterator[Blemish]:
    path, language = file.path, language_of(file.path)
    for line in markers(path, file.added):
        yield _blemish(Rule.CONFLICT, path, line)
    if text is None or is_prose(path) or not language:
        return
    lines = scanned(text, language)
    there = text.split("\n")
    added = {number: said for number, said in file.added if _is_there(there, number, said)}
    for number, said in added.items():
        rule = _rule_broken(path, language, lines, number) if len(said) <= _LONGEST_LINE else None
        if rule and not _has_moved(said, moved):
            yield _blemish(rule, path, (number, said))
    if any(swallowing.MAY_MATCH.search(said) for said in added.values()):
        yield from _swallowed(path, language, text, lines, added, moved)


def _is_there(lines: Sequence[str], number: int, said: str) -> bool:
    """The file on disk is the one that was compared; a filter of git's may have made another one of it."""
    return number <= len(lines) and lines[number - 1].removesuffix("\r") == said


def _rule_broken(path: str, language: str, lines: Scanned, number: int) -> Rule | None:
    code, comment = lines.code[number - 1], lines.comments[number - 1]
    if (comment and todos.is_put_off(comment)) or todos.is_stub(code, language):
        return Rule.TODO
    if comment and (omissions.is_omission(comment) or _is_lonely_ellipsis(lines, number)):
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
    path: str, language: str, text: str, lines: Scanned, added: Mapping[int, str], moved: Counter[str]
) -> Iterator[Blemish]:
    for numbers in swallowing.swallowed(text, language, lines):
        first = next((number for number in numbers if number in added and added[number].strip(" \t}")), None)
        if first is not None and not _has_moved(added[first], moved):
            yield _blemish(Rule.SWALLOWED, path, (first, added[first]))
