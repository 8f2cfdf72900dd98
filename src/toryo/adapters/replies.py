"""Reads what a model replied: untrusted, so its shape is checked, and everything wrong with it is said at once."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.adapters.located import Place
from toryo.adapters.planforms import Fields, Form, Found, each, one
from toryo.adapters.settingkinds import Kind
from toryo.domain.planning import Question, Score
from toryo.domain.review import Criterion, Judgement, Opinion, Review

MOST_QUESTIONS, MOST_OPTIONS = 5, 5
LONGEST_TITLE = 100
MOST_ERRORS, _LONGEST_ERROR = 20, 300
_MOST_FENCES = 20
"""Of a reply with more of them only the last ones are looked into."""
_UNUSABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_TOO_DEEP = "the JSON is nested too deeply"


class BadReply(Exception):
    """A reply that cannot be used; one line for each thing that is wrong."""

    def __init__(self, *errors: str) -> None:
        self.errors = tuple(clipped(error) for error in errors[:MOST_ERRORS])
        super().__init__("; ".join(self.errors))


def clipped(text: str) -> str:
    """What a model said comes back to it, and to people, in a line; it may have said pages."""
    return text if len(text) <= _LONGEST_ERROR else text[: _LONGEST_ERROR - 1] + "…"


# ── text and JSON ────────────────────────────────────────────────────────────


def document_in(text: str) -> str:
    """The Markdown of a reply, without a fence around the whole of it, and without what would steer a terminal."""
    found = re.fullmatch(r"```(?:markdown|md)?[ \t\r]*\n(.*)\n```", text.strip(), re.DOTALL)
    document = _UNUSABLE.sub("", found[1] if found else text).strip()
    if len(document) < 40 or "#" not in document:
        raise BadReply("the reply should be a Markdown document with headings")
    return document + "\n"


def object_in(text: str) -> dict[str, Any]:
    """The JSON object of a reply: the whole of it, in a fence, or after a few words."""
    fenced = re.findall(r"```\w*[ \t\r]*\n(.*?)```", text, re.DOTALL)
    start = text.find("{")
    for candidate in [text, *reversed(fenced[-_MOST_FENCES:]), text[start:] if start >= 0 else ""]:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return _clean(value)
    raise BadReply(_why_no_json(text, start))


def _clean(value: dict[str, Any]) -> dict[str, Any]:
    """Without characters that no file, branch or terminal takes: control characters and halves of characters."""
    try:
        cleaned: dict[str, Any] = _cleaned(value)
    except RecursionError:
        raise BadReply(_TOO_DEEP) from None
    return cleaned


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return _UNUSABLE.sub("", value)
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(inner) for name, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value


def _why_no_json(text: str, start: int) -> str:
    if start < 0:
        return "there is no JSON object in the reply"
    try:
        json.JSONDecoder(strict=False).raw_decode(text[start:])
    except json.JSONDecodeError as error:
        return f"the JSON is not valid: {error.msg} at line {error.lineno}, column {error.colno} of the object"
    except RecursionError:
        return _TOO_DEEP
    except ValueError as error:
        return f"the JSON is not valid: {error}"
    return "there is no JSON object in the reply"


def read(form: Form, value: object, at: Place = ()) -> Any:
    found: Found = []
    shaped = form(value, at, found)
    if found:
        raise BadReply(*(f"{_path(place)}: {said}" for place, said in found))
    return shaped


def _path(place: Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".") or "the object"


# ── values ───────────────────────────────────────────────────────────────────


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("should be text")
    return value.strip()


def _filled(value: object) -> str:
    if not (text := _text(value)):
        raise ValueError("should not be empty")
    return text


def _points(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError("should be a number from 0 to 100")
    return round(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("should be true or false")
    return value


def member(*members: str) -> Kind:
    def check(value: object) -> str:
        said = _text(value).lower()
        if said not in members:
            raise ValueError(f"should be one of {', '.join(members)}")
        return said

    return Kind(check)


TEXT, FILLED, FLAG = one(Kind(_text)), one(Kind(_filled)), one(Kind(_flag))
TEXTS = each(TEXT)


def _count(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError("should be a whole number from 1 on")
    return value


COUNT = one(Kind(_count))


def _ordinal(value: object) -> int:
    """A number in a list; models like to write it as text."""
    said = value.strip().rstrip(".") if isinstance(value, str) else value
    if isinstance(said, str) and said.isdecimal() and len(said) < 6:
        return int(said)
    if isinstance(said, bool) or not isinstance(said, int):
        raise ValueError("should be a whole number")
    return said


class Open(Fields):
    """Fields beside which a model may say more; what nobody asked for is not looked at."""

    def __call__(self, value: object, place: Place, found: Found) -> object:
        asked = {name: said for name, said in value.items() if name in self.known} if isinstance(value, dict) else value
        return super().__call__(asked, place, found)


# ── replies, one by one ──────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Asked:
    title: str = ""
    questions: tuple[Question, ...] = ()
    follows: bool = False


def questions_in(text: str) -> Asked:
    said = read(_QUESTIONS, object_in(text))
    title = " ".join(said.get("title", "").split())[:LONGEST_TITLE]
    return Asked(title, questions_of(said), said.get("follows", False))


def questions_of(said: Mapping[str, Any]) -> tuple[Question, ...]:
    questions = [Question(q["question"], q.get("why", ""), *_options(q)) for q in said.get("questions", [])]
    if len(questions) > MOST_QUESTIONS:
        raise BadReply(f"questions: there are {len(questions)}; ask the {MOST_QUESTIONS} most important ones")
    return tuple(questions)


def _options(said: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    options = tuple(dict.fromkeys(option for option in said["options"] if option))
    if not 2 <= len(options) <= MOST_OPTIONS:
        raise BadReply(f"'{said['question']}' should have 2 to {MOST_OPTIONS} options, not {len(options)}")
    if said["default"] not in options:
        raise BadReply(f"the default of '{said['question']}' should be one of its options")
    return options, said["default"]


QUESTION = Open(
    dict,
    {"question": FILLED, "why": TEXT, "options": TEXTS, "default": FILLED},
    required=("question", "options", "default"),
)
_QUESTIONS = Open(dict, {"title": TEXT, "questions": each(QUESTION), "follows": FLAG}, required=("questions",))
_SCORE = Open(dict, {"score": one(Kind(_points)), "issues": TEXTS}, required=("score",))
_CRITERION = Open(
    dict,
    {"number": one(Kind(_ordinal)), "criterion": TEXT, "met": FLAG, "evidence": TEXT},
    required=("met",),
)
_REVIEW = Open(
    dict,
    {
        "criteria": each(_CRITERION),
        "opinion": one(member(*(str(o) for o in Opinion if o is not Opinion.NONE))),
        "reason": FILLED,
        "missing": TEXTS,
        "issues": TEXTS,
        "suggestions": TEXTS,
    },
    required=("opinion", "reason"),
)
_JUDGEMENT = Open(
    dict,
    {"complete": FLAG, "score": one(Kind(_points)), "missing": TEXTS, "suggestions": TEXTS},
    required=("complete",),
)


def score_in(text: str) -> Score:
    said = read(_SCORE, object_in(text))
    return Score(said["score"], tuple(said.get("issues", [])))


def review_in(text: str, by: str = "", acceptance: tuple[str, ...] = ()) -> Review:
    """The review, with what it says about each of the task's own acceptance criteria; it may say nothing about them."""
    said = read(_REVIEW, object_in(text))
    issues, suggestions, missing = (tuple(said.get(name, [])) for name in ("issues", "suggestions", "missing"))
    criteria, remarks = _criteria(said.get("criteria", []), acceptance)
    unmet = [said_of.text for said_of in criteria if not said_of.is_met and said_of.text not in missing]
    missing = (*missing, *unmet)
    review = Review(Opinion(said["opinion"]), said["reason"], issues, suggestions, missing, by, criteria, remarks)
    if review.opinion is Opinion.APPROVED and review.missing:
        raise BadReply("opinion: work that misses something cannot be approved; reject it, or leave `missing` empty")
    if review.opinion is Opinion.SATISFIED and review.missing:
        raise BadReply("opinion: what misses something is not satisfied; reject it, or leave `missing` empty")
    return review


def _criteria(said: list[dict[str, Any]], acceptance: tuple[str, ...]) -> tuple[tuple[Criterion, ...], tuple[str, ...]]:
    """What is said about the task's own criteria, in their order; about others it is only remarked upon."""
    about: dict[int, list[dict[str, Any]]] = {}
    remarks = []
    for said_of in said:
        place = _place_of(said_of, acceptance)
        if place is None:
            named = said_of.get("criterion") or f"number {said_of.get('number', '?')}"
            remarks.append(clipped(f"the review speaks of a criterion that the task does not have: {named}"))
        else:
            about.setdefault(place, []).append(said_of)
    criteria = [
        Criterion(acceptance[place], all(words["met"] for words in spoken), _evidence(spoken))
        for place, spoken in sorted(about.items())
    ]
    return tuple(criteria), tuple(remarks[:MOST_ERRORS])


def _evidence(spoken: list[dict[str, Any]]) -> str:
    return clipped("; ".join(words["evidence"] for words in spoken if words.get("evidence")))


def _place_of(said: Mapping[str, Any], acceptance: tuple[str, ...]) -> int | None:
    """Which criterion is meant, by its words or by its number; where the two contradict each other, none."""
    words = _plain(said.get("criterion", ""))
    named = [place for place, text in enumerate(acceptance) if words and _plain(text) == words]
    number = said.get("number")
    if number is None:
        return named[0] if named else None
    counted = number - 1 if 1 <= number <= len(acceptance) else None
    return counted if not named or counted in named else None


def _plain(text: str) -> str:
    return " ".join(text.split()).strip("`\"'.。 ").casefold()


def judgement_in(text: str, by: str = "") -> Judgement:
    said = read(_JUDGEMENT, object_in(text))
    missing, suggestions = tuple(said.get("missing", [])), tuple(said.get("suggestions", []))
    if said["complete"] and missing:
        raise BadReply("complete: it cannot be complete while something is missing")
    return Judgement(said["complete"], missing, suggestions, said.get("score", 0), by)
