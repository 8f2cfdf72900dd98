"""What a person's answer to a batch of questions means: `1b 2a`, `1: own words`, or nothing for every default."""

import re

from toryo.domain.planning import Answer, Question

LETTERS = "abcdefghij"
_OWN_WORDS = re.compile(r"^\s*(\d{1,4})\s*[:：]\s*(.+)$")
_CHOICE = re.compile(r"^(\d{1,4})\s*[.=)]?\s*([a-jA-J])$")
_LONGEST_CHOICE = 3
_APART = re.compile(r"(\d)\s*[.=)]?\s+(?=[a-jA-J](?:[,;、\s]|$))")
"""Between a number and its letter, where blanks keep them apart."""


def is_choice(text: str) -> bool:
    """Whether it reads like `1b`, though some id may begin so, too."""
    return len(text) <= _LONGEST_CHOICE and bool(_CHOICE.match(text))


class NotUnderstood(Exception):
    """An answer that fits no question."""


def answers_from(text: str, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
    """The answers a text gives; questions it leaves out get their default, if they have one."""
    given = _given(text.strip(), questions)
    answers = []
    for number, question in enumerate(questions, 1):
        words = given.get(number, question.default)
        if words:
            answers.append(Answer(question.text, words))
    return tuple(answers)


def _given(text: str, questions: tuple[Question, ...]) -> dict[int, str]:
    given: dict[int, str] = {}
    if not text:
        return given
    if len(questions) == 1 and not _OWN_WORDS.match(text) and not _CHOICE.match(text):
        return {1: _option(text, questions[0])}
    for line in text.splitlines():
        if own := _OWN_WORDS.match(line):
            number = _number(own[1], questions)
            given[number] = _option(own[2].strip(), questions[number - 1])
            continue
        for part in re.split(r"[,;、\s]+", _APART.sub(r"\1", line.strip())):
            if not part:
                continue
            choice = _CHOICE.match(part)
            if choice is None:
                raise NotUnderstood(f"'{part}' is no answer: say '1b', or '1: your own words', each on a line")
            number = _number(choice[1], questions)
            given[number] = _option(choice[2], questions[number - 1])
    return given


def _number(said: str, questions: tuple[Question, ...]) -> int:
    if not 1 <= int(said) <= len(questions):
        raise NotUnderstood(f"there is no question {said}")
    return int(said)


def _option(said: str, question: Question) -> str:
    """A letter stands for its option; whatever else is said is the answer itself."""
    is_letter = len(said) == 1 and said.isascii() and said.isalpha()
    if not is_letter or not question.options:
        return said
    place = LETTERS.find(said.lower())
    if 0 <= place < len(question.options):
        return question.options[place]
    if said not in question.options:
        raise NotUnderstood(f"'{question.text}' has no option {said}")
    return said
