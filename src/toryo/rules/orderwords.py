"""The words by which people say what comes before what."""

import re
from dataclasses import dataclass
from enum import StrEnum


class Word(StrEnum):
    """What a word does to the names around it."""

    NEEDS = "needs"
    """The names after it come first."""
    BLOCKS = "blocks"
    """The names before it come first."""
    NEEDS_THOSE_BEFORE = "needs those before"
    """As Japanese puts it: the names directly before it come first."""
    BLOCKS_THOSE_BEFORE = "blocks those before"
    NOTHING = "nothing"
    PARALLEL = "parallel"
    IN_ORDER = "in order"


_WORDS = {
    Word.NOTHING: r"no\s(?:[a-z]{1,12}\s)?dependenc(?:y|ies)|no\sprerequisites?|dependenc(?:y|ies)\s?[:：]\s?none"
    r"|can\s(?:be\s)?start(?:ed)?\s(?:immediately|at\sonce|right\saway)|starts?\simmediately"
    r"|依存(?:関係)?\s?(?:[:：]\s?)?(?:なし|無し|はな)|(?:すぐ|即座|直ち)に開始",
    Word.NEEDS_THOSE_BEFORE: r"(?:の?完了)?に依存(?![をのが関性先物ラ])|の?完了後|の後"
    r"|が?完了(?:したら|してから|すると)|が必要|を前提|待ち",
    Word.BLOCKS_THOSE_BEFORE: r"の前提|の前に|より前|をブロック",
    Word.NEEDS: r"\bdepend(?:s|ing|ent)?\s(?:up)?on\b|\bdepend(?:s|encies|ency)?\s?[:：]|\bdependenc(?:y|ies)\son\b"
    r"|\bprereq(?:uisite)?s?\s?[:：]|\bblocked\sby\b|\brequires?\b|\bneeds?\b|\bafter\b|\bonce\b|\bfollow(?:s|ing)\b"
    r"|\bwaits?\s(?:for|on)\b|\buntil\b|\bbuilds?\s(?:up)?on\b|(?:依存(?:関係|タスク|先)?|前提(?:条件|タスク)?)\s?[:：]|←|<-",
    Word.BLOCKS: r"\bunblocks?\b|\bblocks?\b|\bbefore\b|\bprecedes?\b|\bprior\sto\b|\brequired\s(?:by|for)\b"
    r"|\bprerequisites?\s(?:for|of|to)\b|-{1,3}>|=>|→|⇒|➜|➡",
    Word.PARALLEL: r"\bparallel[a-z]*|\bconcurrent[a-z]*|\bsimultaneous[a-z]*|並列|並行|同時",
    Word.IN_ORDER: r"\bsequential[a-z]*|順次|逐次|直列|\blast\b|\bfirst\b|最後|最初",
}
_STEMS = (
    *("depend", "prereq", "block", "requi", "need", "after", "once", "follow", "wait", "until", "build", "before"),
    *("preced", "prior", "start", "parallel", "concurr", "simult", "sequen", "last", "first", "->", "<-", "=>"),
    *"依前後完必待並同順逐直最開よブ→⇒➜➡←",
)
"""One of these is in every such word; looking for them first is many times as fast."""
_PATTERN = re.compile("|".join(f"(?P<{word.name}>{pattern})" for word, pattern in _WORDS.items()), re.IGNORECASE)
STRONG = re.compile(r"depend|blocked|prereq|依存|前提", re.IGNORECASE)
ARROW = re.compile(r"[-=]+>|[→⇒➜➡←]|<-")
_NOT_BEFORE = re.compile(r"(?:\bnot|n't|\bnever|\bno|\bwithout|\bindependent)\s+(?:[a-z]+\s+)?$", re.IGNORECASE)
_NOT_AFTER = re.compile(r"\s*(?:し(?:ない|ません)|せず|なし|無し|はない|でき(?:ない|ません)|実行なし)")


@dataclass(frozen=True, slots=True)
class Mark:
    """Such a word in a sentence."""

    word: Word
    start: int
    end: int
    text: str
    is_negated: bool


def marks_in(sentence: str) -> list[Mark]:
    """All of them, in order."""
    folded = sentence.lower()
    if not any(stem in folded for stem in _STEMS):
        return []
    found = []
    for match in _PATTERN.finditer(sentence):
        word = Word[str(match.lastgroup)]
        is_negated = bool(
            _NOT_BEFORE.search(sentence[max(0, match.start() - 24) : match.start()])
            or _NOT_AFTER.match(sentence, match.end())
        )
        found.append(Mark(word, match.start(), match.end(), match[0], is_negated))
    return found
