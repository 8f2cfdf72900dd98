"""What is configured about the lines that runs add, and about files that wait for a person."""

from collections.abc import Mapping

from toryo.adapters.settingkeys import ALLOWANCE_FIELDS, Key
from toryo.adapters.settinglayers import Given, Problem
from toryo.domain.hygiene import Allowance, Hygiene, Level, Protection, Rule

_TABLE = ("hygiene", "allow")


def hygiene_settings(given: Mapping[Key, Given]) -> Hygiene:
    levels = {rule: given["hygiene", rule.value].value for rule in Rule}
    own = tuple((rule, level) for rule, level in levels.items() if isinstance(level, Level) and level != Level.RETRY)
    return Hygiene(own, tuple(_allowance(name, given) for name in _names(given)))


def protection_settings(given: Mapping[Key, Given]) -> Protection:
    fields = {name: given["protect", name].value for name in ("paths", "allow", "deletions")}
    return Protection(**fields)  # type: ignore[arg-type]  # each kind has checked its value


def look_at_allowances(given: Mapping[Key, Given], problems: list[Problem]) -> None:
    """Who allows something says what and why."""
    wrong = {problem.key[:3] for problem in problems}
    for name in _names(given):
        table = (*_TABLE, name)
        first = next(value for key, value in given.items() if key[:3] == table)
        missing = [field for field in ("rule", "reason") if (*table, field) not in given and table not in wrong]
        problems += [Problem((*table, field), first.where, "required key is missing") for field in missing]


def _names(given: Mapping[Key, Given]) -> list[str]:
    return list(dict.fromkeys(key[2] for key in given if key[:2] == _TABLE and len(key) > 2))


def _allowance(name: str, given: Mapping[Key, Given]) -> Allowance:
    fields = {field: given[*_TABLE, name, field].value for field in ALLOWANCE_FIELDS if (*_TABLE, name, field) in given}
    return Allowance(**{"paths": (), **fields})  # type: ignore[arg-type]  # each kind has checked its value
