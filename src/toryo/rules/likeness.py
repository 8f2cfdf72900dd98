"""Whether two wishes are about the same thing, as far as their words tell: in any language, without a model."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from toryo.domain.intent import Intent, IntentStatus

REMEMBERED = 90 * 86400.0
"""Seconds for which what a person rejected is not proposed again."""
_SAME_TITLE, _SAME_WHOLE = 0.8, 0.6
_FEWEST = 3
"""With fewer words than these in common, titles are only the same where they are equal."""
_MOST_TEXT = 4000
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
"""Scripts that write words without spaces between them, or inflect them beyond recognition."""
_EMPTY = frozenset(
    [
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have", "in"),
        *("into", "is", "it", "its", "not", "of", "on", "or", "that", "the", "their", "there", "this", "to", "was"),
        *("when", "where", "which", "with", "should", "must", "may", "より", "から", "こと"),
    ]
)


class Worded(Protocol):
    """What has a title and says more."""

    @property
    def title(self) -> str: ...

    @property
    def body(self) -> str: ...


Kind = TypeVar("Kind", bound=Worded)


def is_said_again(wanted: Intent, known: Intent) -> bool:
    """In the very words of one that is still open, and with nothing about it that is different there."""
    return (
        known.status.is_open
        and (wanted.title.split(), wanted.body.split()) == (known.title.split(), known.body.split())
        and wanted.parent == known.parent
        and wanted.type in ("", known.type)
        and wanted.risk in (None, known.risk)
    )


def is_duplicate(title: str, body: str, others: Iterable[Worded]) -> bool:
    return duplicate_of(title, body, others) is not None


def duplicate_of(title: str, body: str, others: Iterable[Kind]) -> Kind | None:
    """The first of the others that wants the same."""
    own, everything = words_of(title), words_of(f"{title} {body}")
    plain = _plain(title)
    for other in others:
        if _plain(other.title) == plain or _is_same(own, everything, other):
            return other
    return None


def _is_same(own: frozenset[str], everything: frozenset[str], other: Worded) -> bool:
    theirs = words_of(other.title)
    if len(own & theirs) < min(_FEWEST, len(own), len(theirs)):
        return False
    if likeness(own, theirs) >= _SAME_TITLE:
        return len(own & theirs) >= _FEWEST or own == theirs
    whole = words_of(f"{other.title} {other.body}")
    return likeness(own, theirs) >= 0.5 and likeness(everything, whole) >= _SAME_WHOLE and len(everything & whole) > 5


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """From 0, nothing in common, to 1, the same words."""
    if not one or not other:
        return 0.0
    return len(one & other) / len(one | other)


def words_of(text: str) -> frozenset[str]:
    """What a text is made of, without what every text is made of; pairs of characters where words are not parted."""
    found: set[str] = set()
    for word in _WORD.findall(_plain(text[:_MOST_TEXT])):
        parts = _UNSPACED.findall(word)
        found.update(pair for part in parts for pair in _pairs(part))
        found.update(_stem(rest) for rest in _UNSPACED.split(word) if rest)
    return frozenset(found - _EMPTY)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _pairs(text: str) -> Sequence[str]:
    return [text[place : place + 2] for place in range(len(text) - 1)] or [text]


def _stem(word: str) -> str:
    """Without what one and many, or doing and done, differ in."""
    shorter = re.sub(r"(?:ing|ed)$", "", word).rstrip("es")
    return shorter if len(shorter) >= 4 else word


def remembered(intents: Iterable[Intent], now: float) -> list[Intent]:
    """Those that a new proposal must not repeat: open ones, and what was rejected not long ago."""
    return [intent for intent in intents if intent.status.is_open or _is_fresh(intent, now)]


def _is_fresh(intent: Intent, now: float) -> bool:
    is_rejected = intent.status is IntentStatus.REJECTED
    return is_rejected and now - max(intent.updated_at, intent.created_at) < REMEMBERED


def most_related(text: str, intents: Iterable[Intent], most: int) -> list[Intent]:
    """At most so many: first those that share words with the text, then the latest; in the order in which they came."""
    own = words_of(text)
    listed = list(intents)
    if len(listed) <= most:
        return listed
    ranked = sorted(
        range(len(listed)),
        key=lambda place: (-likeness(own, words_of(listed[place].title)), -listed[place].created_at, place),
    )
    return [listed[place] for place in sorted(ranked[:most])]
