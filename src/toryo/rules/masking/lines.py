"""Masking one line: the rules in their order, each on what those before it left."""

import re
from collections.abc import Iterator
from functools import cache

from toryo.rules.masking.named import LAST, SECOND, THIRD
from toryo.rules.masking.rule import Rule, anchors_of, compiled, families
from toryo.rules.masking.shapes import FIRST, JWT

RULES: tuple[Rule, ...] = (*FIRST, JWT, *SECOND, *THIRD, *LAST)
HIDDEN = "[HIDDEN: could not be masked]"
_DONE = r"\[MASKED:[A-Z_]{2,40}\]|\[HIDDEN: could not be masked\]"
_LONGEST_LOOK = 250
_SHAPES = anchors_of(RULES, folds=False)
_NAMES = anchors_of(RULES, folds=True)
_SHORT = 400

Span = tuple[int, int, str]
"""From where to where, and what stands there instead."""


def may_have_secret(text: str) -> bool:
    """The quick answer, for the great many texts that have none. It never says no where there is one."""
    folded = fold(text)
    if len(text) > _SHORT:
        return next(_marks(text, folded), None) is not None
    name, run, shape = _at_once()
    if name.search(folded):
        return True
    return run.search(text) is not None and (("://" in text and "@" in text) or shape.search(text) is not None)


@cache
def _at_once() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """For short texts, where one look is quicker than many: any name, a long enough word, any beginning of one."""
    return re.compile("|".join(families(_NAMES))), re.compile(r"\S{10}"), re.compile("|".join(families(_SHAPES)))


@cache
def _families() -> tuple[tuple[re.Pattern[str], ...], tuple[re.Pattern[str], ...]]:
    return tuple(map(re.compile, families(_SHAPES))), tuple(map(re.compile, families(_NAMES)))


def _marks(text: str, folded: str) -> Iterator[int]:
    """Where anchors are, at least one for each line that has any."""
    shapes, names = _families()
    for patterns, where in ((names, folded), (shapes, text)):
        for pattern in patterns:
            found = pattern.search(where)
            while found:
                yield found.start()
                line = where.find("\n", found.end())
                found = pattern.search(where, line) if line >= 0 else None
    if "@" in text:
        place = text.find("://")
        while place >= 0:
            yield place
            line = text.find("\n", place)
            place = text.find("://", line) if line >= 0 else -1


def fold(text: str) -> str:
    """In lower case, with every character in its place."""
    if not text.isascii() and "İ" in text:  # the one letter that becomes two
        text = text.replace("İ", "i")
    return text.lower()


def suspects(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines begin and end that a closer look has to be taken at, in order."""
    starts = {text.rfind("\n", 0, mark) + 1 for mark in _marks(text, fold(text))}
    for start in sorted(starts):
        end = text.find("\n", start)
        yield start, len(text) if end < 0 else end


def mask_line(line: str, kinds: set[str]) -> str:
    """The line with every secret replaced; what kinds there were is added. If that fails, nothing of it is shown."""
    try:
        return replaced(line, spans_in(line), kinds)
    except Exception:  # noqa: BLE001 - whatever goes wrong, the line may hold a secret
        kinds.add("HIDDEN")
        return HIDDEN


def replaced(text: str, spans: list[Span], kinds: set[str]) -> str:
    pieces: list[str] = []
    end = 0
    for start, stop, masked in spans:
        pieces += (text[end:start], masked or text[start:stop])
        end = stop
        if masked:
            kinds.add(kind_of(masked))
    return "".join((*pieces, text[end:]))


def kind_of(masked: str) -> str:
    return "HIDDEN" if masked == HIDDEN else masked[8:-1]


def spans_in(text: str, pos: int = 0) -> list[Span]:
    """All that is to be replaced, in order, in the text from `pos` on; what was masked before has nothing instead."""
    taken: list[Span] = [(*found.span(), "") for found in compiled(_DONE).finditer(text, pos)]
    for rule in _rules_for(text):
        taken = _with_rule(rule, text, pos, taken)
    return taken


def _rules_for(text: str) -> list[Rule]:
    folded = fold(text)
    names = [anchor for anchor in _every_name() if anchor in folded]
    has_shape = "://" in text or _at_once()[2].search(text)
    shapes = [anchor for anchor in _every_shape() if anchor in text] if has_shape else ()
    known = _by_anchor()
    wanted = {place for anchor in (*names, *shapes) for place in known[anchor]}
    return [RULES[place] for place in sorted(wanted)]


@cache
def _by_anchor() -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, rule in enumerate(RULES):
        for anchor in rule.anchors:
            found.setdefault(anchor, []).append(place)
    return found


@cache
def _every_name() -> tuple[str, ...]:
    return tuple(dict.fromkeys(anchor for rule in RULES if rule.folds for anchor in rule.anchors))


@cache
def _every_shape() -> tuple[str, ...]:
    return tuple(dict.fromkeys(anchor for rule in RULES if not rule.folds for anchor in rule.anchors))


def _with_rule(rule: Rule, text: str, pos: int, taken: list[Span]) -> list[Span]:
    pattern = compiled(rule.pattern)
    news: list[Span] = []
    place = 0
    while found := pattern.search(text, pos):
        start, stop = found.span()
        while place < len(taken) and taken[place][1] <= start:
            place += 1
        if place < len(taken) and taken[place][0] <= start:
            pos = taken[place][1]
            continue
        within = _overlapping(taken, place, stop)
        rest = _unseen(found, within)
        if rest and (rule.looks is None or rule.looks(found, rest)):
            stop = max([_whole(found), *(span[1] for span in within)])
            news.append((start, stop, rule.mask))
            pos = stop
        else:
            pos = _go_on_at(found)
    return _merged(taken, news) if news else taken


def _overlapping(taken: list[Span], place: int, stop: int) -> list[Span]:
    end = place
    while end < len(taken) and taken[end][0] < stop:
        end += 1
    return taken[place:end]


def _whole(found: re.Match[str]) -> int:
    """Where it ends; values are only looked at so far, but all of a secret is one."""
    if found.end() - found.start() < _LONGEST_LOOK or "v" not in found.re.groupindex:
        return found.end()
    rest = compiled(r"[^\s\"']*").match(found.string, found.end())
    return rest.end() if rest else found.end()


def _unseen(found: re.Match[str], within: list[Span]) -> str:
    """What of the match's value is not masked yet; nothing, if that is no more than signs."""
    start, stop = _value_span(found)
    if not within:
        return found.string[start:stop]
    pieces = []
    for span in within:
        pieces.append(found.string[start : max(start, span[0])])
        start = max(start, min(span[1], stop))
    rest = "".join((*pieces, found.string[start:stop]))
    return rest if any(map(str.isalnum, rest)) else ""


def _value_span(found: re.Match[str]) -> tuple[int, int]:
    for group in _value_groups(found.re):
        if found.start(group) >= 0:
            return found.span(group)
    return found.span()


@cache
def _value_groups(pattern: re.Pattern[str]) -> tuple[int, ...]:
    return tuple(place for name, place in pattern.groupindex.items() if name in ("v", "v2", "v3"))


def _go_on_at(found: re.Match[str]) -> int:
    """What was refused as a whole may still have a name and a value inside."""
    start, stop = _value_span(found)
    inner = compiled(r"[=:(,&;?]").search(found.string, start, min(stop, start + 256))
    return max(inner.end() if inner else stop, found.start() + 1)


def _merged(taken: list[Span], news: list[Span]) -> list[Span]:
    kept = []
    place = 0
    for span in taken:
        while place < len(news) and news[place][1] <= span[0]:
            place += 1
        if place == len(news) or news[place][0] >= span[1]:
            kept.append(span)
    return sorted((*kept, *news))
