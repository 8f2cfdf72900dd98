"""What a sentence says about the order of tasks, in the words people use for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from toryo.rules.orderwords import ARROW, STRONG, Mark, Word, marks_in
from toryo.rules.tasknames import Names, Reference

MOST_WORDS = 50
"""About order, in one sentence or one task; nobody could say what more of them mean."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[。;；]|\n|(?<!\d)\s[-–—]\s(?!T?\d)")
_LIST_GAP = re.compile(
    r"[\s,、，/&+・*_`]{0,6}(?:[(（][^()（）]{0,80}[)）][\s,、，/&+・]{0,4})?(?:(?:and|or|plus|と|および|及び)[\s,]{0,3})?"
)
_AFTER_WORD = re.compile(
    r"[\s:：*_`(（]{0,6}(?:(?:the|all|tasks?|of|on|completion|completing|finishing)\s{1,2}){0,4}", re.IGNORECASE
)
_BEFORE_WORD = re.compile(r"[\s*_`]{0,4}(?:[(（][^()（）]{0,80}[)）])?[\s]{0,2}(?:が|の)?\s?")
_TOPIC = re.compile(r"[はが]|[:：](?![^(（]*[)）])")
_TESTS_FIRST = re.compile(
    r"\btests?\b[^.]{0,80}\bbefore\b[^.]{0,30}\bimplement|テスト.{0,20}実装(?:の前|より(?:前|先))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Statement:
    """The later ones wait for the earlier ones."""

    line: int
    later: tuple[Reference, ...]
    earlier: tuple[Reference, ...]
    is_complete: bool = False
    """It says what the later ones wait for, and not only what the earlier ones hold up."""


@dataclass(frozen=True, slots=True)
class Free:
    """These need nothing but what they name themselves."""

    line: int
    which: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """These may run at once."""

    line: int
    which: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class TestsFirst:
    """In every phase, what stands under a heading about tests comes before what is implementation."""

    line: int


@dataclass(frozen=True, slots=True)
class Unclear:
    """A sentence about order that could not be made out; names nothing if it is a general rule."""

    line: int
    which: tuple[Reference, ...]


Said = Statement | Free | Together | TestsFirst | Unclear


# ── within the text of a task ────────────────────────────────────────────────


def said_of_task(text: str, line: int, names: Names, keys: tuple[str, ...]) -> list[Said]:
    """Only what stands right beside the word counts: the rest is about the work, not about its order."""
    said: list[Said] = []
    marks = marks_in(text)
    own = (Reference(0, 0, "", keys=keys, is_task=True),)
    if not marks:
        return []
    if len(marks) > MOST_WORDS:
        return [Unclear(line, own)]
    references = [found for found in names.references(text) if not found.is_named and not found.is_everything]
    for mark in marks:
        if mark.is_negated or ARROW.fullmatch(mark.text):
            continue
        at = line + text.count("\n", 0, mark.start)
        match mark.word:
            case Word.NEEDS | Word.BLOCKS:
                near = _right_after(text, mark, _certain(references, mark))
                if not near and mark.word is Word.NEEDS and STRONG.search(mark.text):
                    if not re.match(r"\W*(?:none|n/a|nothing|なし|-|–|—)", text[mark.end :], re.IGNORECASE):
                        said.append(Unclear(at, own))
                elif near:
                    earlier, later = (near, own) if mark.word is Word.NEEDS else (own, near)
                    said.append(Statement(at, later, earlier))
            case Word.NEEDS_THOSE_BEFORE | Word.BLOCKS_THOSE_BEFORE:
                if near := _right_before(text, mark, _certain(references, mark)):
                    earlier, later = (near, own) if mark.word is Word.NEEDS_THOSE_BEFORE else (own, near)
                    said.append(Statement(at, later, earlier))
                elif STRONG.search(mark.text) and "依存" in mark.text:
                    said.append(Unclear(at, own))
            case _:
                continue
    return said


def _certain(references: Sequence[Reference], *marks: Mark) -> list[Reference]:
    """Numbers are names only beside a word that leaves no doubt."""
    is_clear = any(STRONG.search(mark.text) for mark in marks)
    return [found for found in references if is_clear or not found.is_doubtful]


def _right_after(text: str, mark: Mark, references: Sequence[Reference]) -> tuple[Reference, ...]:
    near: list[Reference] = []
    gap, end = _AFTER_WORD, mark.end
    for reference in references:
        if reference.start < end:
            continue
        if not gap.fullmatch(text, end, reference.start):
            break
        near.append(reference)
        gap, end = _LIST_GAP, reference.end
    return tuple(near)


def _right_before(text: str, mark: Mark, references: Sequence[Reference]) -> tuple[Reference, ...]:
    near: list[Reference] = []
    gap, start = _BEFORE_WORD, mark.start
    for reference in reversed(references):
        if reference.end > start:
            continue
        if not gap.fullmatch(text, reference.end, start):
            break
        near.append(reference)
        gap, start = _LIST_GAP, reference.start
    return tuple(reversed(near))


# ── in a section about dependencies ──────────────────────────────────────────


def said_of_order(
    text: str, line: int, names: Names, about: tuple[Reference, ...] = ()
) -> tuple[list[Said], tuple[Reference, ...]]:
    """What a line says, and whom it is about, for the lines below it; `about` is whom the line above is about."""
    said: list[Said] = []
    subject: tuple[Reference, ...] = ()
    at = line
    start = 0
    for end, following in [*((found.start(), found.end()) for found in _SENTENCE_END.finditer(text)), (len(text), 0)]:
        sentence = text[start:end]
        more, whom = _sentence(sentence, at + text.count("\n", 0, start), names, subject or about)
        said += more
        subject = subject or whom
        start = following
    return said, subject or about


def _sentence(
    sentence: str, line: int, names: Names, about: tuple[Reference, ...]
) -> tuple[list[Said], tuple[Reference, ...]]:
    marks = [mark for mark in marks_in(sentence) if not mark.is_negated]
    if len(marks) > MOST_WORDS:
        return [Unclear(line, tuple(found for found in names.references(sentence) if found.is_task))], about
    references = _without_aliases(sentence, _certain(names.references(sentence), *marks))
    orders = [mark for mark in marks if mark.word not in (Word.NOTHING, Word.PARALLEL, Word.IN_ORDER)]
    before = tuple(found for found in references if not orders or found.start < orders[0].start)
    subject = before or about
    kinds = {mark.word for mark in marks}
    if not any(found.is_task for found in references) and _TESTS_FIRST.search(sentence):
        return [TestsFirst(line)], subject
    said: list[Said] = []
    if Word.PARALLEL in kinds and Word.IN_ORDER not in kinds and before:
        said.append(Together(line, before))
    if not orders:
        if Word.NOTHING in kinds and subject:
            said.append(Free(line, subject))
        elif Word.IN_ORDER in kinds and Word.PARALLEL not in kinds and any(found.is_task for found in references):
            said.append(Unclear(line, tuple(references)))
        return said, before
    if not references and all(ARROW.fullmatch(mark.text) for mark in orders):
        return said, before
    if Word.PARALLEL in kinds and not before:
        said += _once_then_parallel(line, references, orders)
        return said, before
    return said + _ordered(sentence, line, references, orders, about, before), before


def _once_then_parallel(line: int, references: Sequence[Reference], orders: Sequence[Mark]) -> list[Said]:
    """Once Foundational completes, all user stories can start in parallel."""
    inside = [found for found in references if found.start > orders[0].end]
    if len(inside) < 2:
        return []
    return [Statement(line, tuple(inside[1:]), (inside[0],), is_complete=True), Together(line, tuple(inside[1:]))]


def _ordered(
    sentence: str,
    line: int,
    references: Sequence[Reference],
    orders: Sequence[Mark],
    about: tuple[Reference, ...],
    before: tuple[Reference, ...],
) -> list[Said]:
    said: list[Said] = []
    subject = before or about
    for number, mark in enumerate(orders):
        until = orders[number + 1].start if number + 1 < len(orders) else len(sentence)
        since = orders[number - 1].end if number else 0
        after = tuple(found for found in references if mark.end <= found.start < until)
        ahead = tuple(found for found in references if since <= found.start < mark.start)
        match mark.word:
            case Word.NEEDS:
                said += _relation(line, subject, after, is_complete=True)
            case Word.BLOCKS:
                said += _relation(line, after, subject)
                if after and (ARROW.fullmatch(mark.text) or mark.text.lower() == "before"):
                    subject = after
            case _:
                topic, near = _split_at_topic(sentence, ahead)
                whom = topic or (() if ahead == before else before) or about or after
                if mark.word is Word.NEEDS_THOSE_BEFORE:
                    said += _relation(line, whom, near, is_complete=True)
                else:
                    said += _relation(line, near, whom)
    return said


def _relation(
    line: int, later: tuple[Reference, ...], earlier: tuple[Reference, ...], *, is_complete: bool = False
) -> list[Said]:
    if later and earlier:
        return [Statement(line, later, earlier, is_complete)]
    return [Unclear(line, later or earlier)]


def _split_at_topic(
    sentence: str, references: tuple[Reference, ...]
) -> tuple[tuple[Reference, ...], tuple[Reference, ...]]:
    """T004はT003に依存: what comes before the last は or colon is what the sentence is about."""
    for place in range(len(references) - 1, 0, -1):
        if _TOPIC.search(sentence, references[place - 1].end, references[place].start):
            return references[:place], references[place:]
    return (), references


def _without_aliases(sentence: str, references: list[Reference]) -> list[Reference]:
    """Setup (Phase 1) is one thing, and of Tests (T004-T007) or Phase 1のT001 the tasks are meant."""
    kept: list[Reference] = []
    for reference in references:
        if kept and not kept[-1].is_task:
            between = sentence[kept[-1].end : reference.start]
            is_inside = bool(re.fullmatch(r"[^()（）]{0,40}[(（][^()（）]{0,40}", between))
            if (is_inside or between.strip() == "の") and reference.is_task:
                kept[-1] = reference
                continue
            if is_inside and (not reference.missing or not reference.phases):
                continue
        kept.append(reference)
    return kept
