"""The shape of a file of evals: which fields a case has, and how expectations are written."""

from collections.abc import Mapping
from typing import Any

from toryo.adapters.located import Place, did_you_mean, kind_of
from toryo.adapters.planforms import Fields, Form, Found, each, named, one
from toryo.adapters.planshape import NAME
from toryo.adapters.settingkinds import FILLED, FLAG, TEXT, Kind
from toryo.domain.evals import MOST_CORRECTIONS, Expectation, Scalar, Want

_LISTED = (Want.ONE_OF, Want.CONTAINS, Want.CONTAINS_ANY, Want.LACKS)
_NUMBERS = (Want.AT_LEAST, Want.AT_MOST)


def _corrections(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MOST_CORRECTIONS:
        raise ValueError(f"should be 0 to {MOST_CORRECTIONS}")
    return value


def _scalar(value: object) -> Scalar:
    if not isinstance(value, str | int | float):
        raise ValueError(f"should be a single value, not {kind_of(value)}")
    return value


def _number(value: object) -> Scalar:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"should be a number, not {kind_of(value)}")
    return value


def _expect(value: object, place: Place, found: Found) -> tuple[Expectation, ...]:
    """One or more expectations of each field."""
    if not isinstance(value, dict):
        found.append((place, f"should be a mapping from fields to what is expected, not {kind_of(value)}"))
        return ()
    return tuple(
        expectation for field, said in value.items() for expectation in _of_field(field, said, (*place, field), found)
    )


def _of_field(field: str, said: object, place: Place, found: Found) -> list[Expectation]:
    if isinstance(said, list):
        found.append((place, "should be a value, or a mapping such as {one_of: [a, b]}, not a list"))
        return []
    if said is None:
        return []  # said of every field without a value
    if not isinstance(said, dict):
        return [Expectation(field, Want.IS, (_scalar(said),))]
    if not said:
        found.append((place, f"says nothing; there are {', '.join(Want)}"))
    made = []
    for name, value in said.items():
        if name in list(Want):
            values = _values(Want(name), value, (*place, name), found)
            made.append(Expectation(field, Want(name), tuple(values)))
        else:
            more = did_you_mean(name, Want) or f"; there are {', '.join(Want)}"
            found.append(((*place, name), f"unknown expectation{more}"))
    return made


def _values(want: Want, value: object, place: Place, found: Found) -> list[Any]:
    if want in _NUMBERS:
        return [one(Kind(_number))(value, place, found)]
    if want in _LISTED and not isinstance(value, list):
        return [one(Kind(_scalar))(value, place, found)]
    if isinstance(value, list):
        listed: list[Any] | None = each(one(Kind(_scalar)), least=0 if want is Want.IS else 1)(value, place, found)
        return listed or []
    return [one(Kind(_scalar))(value, place, found)]


_TEXTS, _BY_NAME = each(one(FILLED)), named(FILLED, one(TEXT))
_CASE: Mapping[str, Form] = {
    "name": one(NAME),
    "prompt": one(FILLED),
    "says": one(TEXT),
    "repository": one(TEXT),
    "documents": _BY_NAME,
    "places": _BY_NAME,
    "acceptance": _TEXTS,
    "keys": each(one(NAME)),
    "may_ask": one(FLAG),
    "corrections": one(Kind(_corrections)),
    "expect": _expect,
}
FILE = Fields(
    dict, {"cases": each(Fields(dict, _CASE, required=("name", "prompt", "expect")), least=1)}, required=("cases",)
)
