"""Going through the lines that a run added, rule by rule."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from toryo.domain.difference import Difference, FileDifference, Line, readable
from toryo.domain.evidence import Change
from toryo.domain.hygiene import Blemish, Rule
from toryo.rules.hygiene.conflicts import markers
from toryo.rules.hygiene.languages import is_prose, is_test, language_of
from toryo.rules.masking import mask

_LONGEST_TEXT = 160


def needs_text(file: FileDifference) -> bool:
    """Whether the whole file is needed to say what its added lines are."""
    return bool(file.added) and bool(language_of(file.path)) and not is_prose(file.path)


def blemishes_in(
    found: Difference,
    texts: Mapping[str, str],
    broken: Mapping[str, Line] | None = None,
    *,
    keeps_tests: bool = False,
) -> list[Blemish]:
    """Everything that is against a rule, whatever the terms say about it.

    `texts` are the files that `needs_text`, as they are now; `broken` are those that cannot be parsed any more, each
    with the first line at fault; with `keeps_tests`, the tests that were there must be as they were.
    """
    moved = Counter(text.strip() for file in found.files for _, text in file.removed)
    blemishes = [_blemish(Rule.SYNTAX, path, line) for path, line in (broken or {}).items()]
    for file in found.files:
        if file.change is not Change.DELETED and file.is_text:
            rules = [(Rule.CONFLICT, line) for line in markers(file.path, file.added)]
            if (text := texts.get(file.path)) is not None and needs_text(file):
                rules += _in_code(file, text, moved)
            blemishes += [_blemish(rule, file.path, line) for rule, line in rules]
    blemishes += [_blemish(Rule.REMOVED_TEST, path, (0, words)) for path, words in _gone(found)]
    if keeps_tests:
        blemishes += [_blemish(Rule.CHANGED_TEST, file.path, line) for file in found.files for line in _altered(file)]
    return sorted(dict.fromkeys(blemishes), key=lambda blemish: (blemish.path, blemish.line, blemish.rule))


def _in_code(file: FileDifference, text: str, moved: Counter[str]) -> Iterator[tuple[Rule, Line]]:
    from toryo.rules.hygiene.codelines import broken_rules  # many patterns, which a change of plain files does not need

    return broken_rules(file, text, moved)


_BINDING = re.compile(r"\s*(?:from\s|import\b|use\s|using\s|package\s|require|#include|(?:const|let|var)\s.*require\()")
"""Where a name comes from may change with the code that is moved; what is tested may not."""


def _altered(file: FileDifference) -> list[Line]:
    """The first line of a test that is not there any more as it was; what was only added is none."""
    if not is_test(file.old_path or file.path) or file.change is Change.DELETED:
        return []
    came = Counter(text.strip() for _, text in file.added)
    lost = [(0, text) for _, text in file.removed if text.strip() and not _BINDING.match(text)]
    lost = [line for line in lost if not came[line[1].strip()]]
    return lost[:1]


def _gone(found: Difference) -> Iterator[tuple[str, str]]:
    if not any(is_test(file.old_path or file.path) or language_of(file.path) == "rust" for file in found.files):
        return iter(())
    from toryo.rules.hygiene.removed_tests import removed_tests

    return removed_tests(found)


def _blemish(rule: Rule, path: str, line: Line) -> Blemish:
    number, text = line
    words = mask(" ".join(text.split()))
    clipped = words if len(words) <= _LONGEST_TEXT else f"{words[: _LONGEST_TEXT - 1]}…"
    return Blemish(rule, readable(path), number, clipped)
