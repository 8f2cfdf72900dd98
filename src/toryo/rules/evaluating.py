"""Whether a reply is as expected; nothing but code decides it."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from toryo.domain.evals import REPLY, EvalCase, Expectation, Miss, Scalar, Want

_LONGEST = 200


def misses(case: EvalCase, record: Mapping[str, Any], text: str, corrections: int) -> tuple[Miss, ...]:
    """What of the reply is not as expected; `record` is the reply as it was read, `text` all of its words."""
    found = []
    for expectation in case.expectations:
        value = text if expectation.field == REPLY else value_at(record, expectation.field)
        if not is_met(expectation, value):
            found.append(Miss(expectation.field, expected_words(expectation), came_words(expectation, value)))
    if corrections > case.corrections:
        found.append(Miss("corrections", f"corrections: at most {case.corrections}", str(corrections)))
    return tuple(found)


def unusable(errors: Sequence[str]) -> Miss:
    """Where no reply could be read, nothing else can be looked at."""
    return Miss(REPLY, "a reply that can be used", shortened("; ".join(errors) or "none"))


def value_at(record: Mapping[str, Any], field: str) -> Any:
    """What a field holds; through a list, what that field of each of its entries holds."""
    value: Any = record
    for step in field.split("."):
        value = [inner for entry in value for inner in _each(entry[step])] if isinstance(value, list) else value[step]
    return value


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def is_met(expectation: Expectation, value: Any) -> bool:
    """Upper and lower case, and space around, make no difference."""
    wanted = expectation.values
    match expectation.want:
        case Want.IS:
            return _folded(_each(value)) == _folded(wanted)
        case Want.ONE_OF:
            return all(one in _folded(wanted) for one in _folded(_each(value)))
        case Want.CONTAINS:
            return all(_has(value, one) for one in wanted)
        case Want.CONTAINS_ANY:
            return any(_has(value, one) for one in wanted)
        case Want.LACKS:
            return not any(_has(value, one) for one in wanted)
        case Want.AT_LEAST:
            return _amount(value) >= float(wanted[0])
        case Want.AT_MOST:
            return _amount(value) <= float(wanted[0])


def _folded(values: Iterable[Any]) -> list[tuple[bool, Any]]:
    """True is not 1; texts are compared without regard to case."""
    return [(isinstance(one, bool), _plain(one) if isinstance(one, str) else one) for one in values]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _has(value: Any, wanted: Scalar) -> bool:
    return any(_plain(str(wanted)) in _plain(str(one)) for one in _each(value) if one is not None)


def _amount(value: Any) -> float:
    """A number is as much as it says, anything else as much as it has; nothing is nothing."""
    if isinstance(value, int | float):
        return float(value)
    return float(len(value)) if value is not None else 0.0


# ── words ────────────────────────────────────────────────────────────────────

_WORDS = {
    Want.IS: "is",
    Want.ONE_OF: "is one of",
    Want.CONTAINS: "contains",
    Want.CONTAINS_ANY: "contains any of",
    Want.LACKS: "does not contain",
    Want.AT_LEAST: "at least",
    Want.AT_MOST: "at most",
}


def expected_words(expectation: Expectation) -> str:
    said = ", ".join(_said(one) for one in expectation.values)
    return shortened(f"{expectation.field} {_WORDS[expectation.want]} {said}")


def came_words(expectation: Expectation, value: Any) -> str:
    """What is there instead, in a line: a model may have said pages."""
    if expectation.want in (Want.AT_LEAST, Want.AT_MOST) and not isinstance(value, int | float):
        return f"{_amount(value):g}"
    if isinstance(value, str):
        return shortened(_around(value, expectation) or "nothing")
    return shortened(", ".join(_said(one) for one in value) if isinstance(value, list) and value else _said(value))


def _around(text: str, expectation: Expectation) -> str:
    """Of a long text that says what it should not, the part where it does."""
    line = " ".join(text.split())
    wanted = [_plain(str(one)) for one in expectation.values] if expectation.want is Want.LACKS else []
    at = min((place for one in wanted if (place := line.casefold().find(one)) >= 0), default=0)
    begin = at - _LONGEST // 2
    return line if len(line) <= _LONGEST or begin <= 0 else "…" + line[begin:]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'" if "," in value or not value else value
    if isinstance(value, Mapping):
        return "{" + ", ".join(_said(one) for one in value.values()) + "}"
    return str(value) if value not in (None, []) else "nothing"


def shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


# ── selecting ────────────────────────────────────────────────────────────────


def is_wanted(case: EvalCase, wanted: str) -> bool:
    """By its name, by a pattern of names, or by the prompt that it is about."""
    return case.prompt == wanted or case.name == wanted or fnmatchcase(case.name, wanted)
