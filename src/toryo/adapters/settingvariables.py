"""The layer of the configuration that comes from environment variables."""

import re
from collections.abc import Iterable, Mapping

from toryo.adapters.located import did_you_mean
from toryo.adapters.settingkeys import (
    ANY_AGENT_FIELDS,
    BUILT_IN,
    CHECK_FIELDS,
    FIXED,
    ROLE_KEYS,
    SECTIONS,
    Key,
    kind_at,
    names_in,
)
from toryo.adapters.settinglayers import Given, Problem, from_text

_BEGINNINGS = tuple(f"TORYO_{section.upper()}_" for section in SECTIONS)
_OPEN: Mapping[str, tuple[Iterable[str], tuple[str, ...]]] = {
    "checks": (CHECK_FIELDS, ()),
    "agents": (ANY_AGENT_FIELDS, BUILT_IN),
}
"""Sections in which people give the names: what can be set there, and the names that exist anyway."""


def environment_layer(
    environ: Mapping[str, str], below: Mapping[Key, Given], problems: list[Problem]
) -> dict[Key, Given]:
    """What TORYO_<SECTION>_<KEY> variables set; an empty variable counts as not set."""
    given: dict[Key, Given] = {}
    fixed = {_variable(key): key for key in (*FIXED, *ROLE_KEYS)}
    for name, text in sorted(environ.items()):
        if not text or not name.startswith(_BEGINNINGS):
            continue
        origin = f"environment {name}"
        key = fixed.get(name) or _open_key(name, below)
        if key is None:
            message = f"unknown setting{did_you_mean(name, _variables_like(name, below))}"
            problems.append(Problem((), origin, message, is_unknown=True))
        elif (found := from_text(key, text, origin, problems)) is not None:
            given[key] = found
    return given


def _variable(key: Key) -> str:
    return "TORYO_" + "_".join(_as_in_variables(part).upper() for part in key)


def _as_in_variables(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", name).lower()


def _variables_like(name: str, below: Mapping[Key, Given]) -> list[str]:
    """The variables that exist in the same section, for suggestions."""
    section = name.split("_")[1].lower()
    named = ((section, known, field) for known in _names(section, below) for field in names_in((section, known)))
    return [_variable(key) for key in (*FIXED, *ROLE_KEYS, *named) if key[0] == section and kind_at(key)]


def _names(section: str, below: Mapping[Key, Given]) -> list[str]:
    if section not in _OPEN:
        return []
    return list(dict.fromkeys([*_OPEN[section][1], *(key[1] for key in below if key[0] == section)]))


def _open_key(name: str, below: Mapping[Key, Given]) -> Key | None:
    """The key of a check or an agent; names known already win, others are taken in lower case."""
    section, _, rest = name.removeprefix("TORYO_").partition("_")
    section = section.lower()
    if section not in _OPEN:
        return None
    names = {_as_in_variables(known): known for known in _names(section, below)}
    if section == "agents":
        for plain, known in names.items():
            variable = rest[len(plain) + len("_env_") :]
            if variable and rest.lower().startswith(f"{plain}_env_"):
                return section, known, "env", variable
    for field in _OPEN[section][0]:
        if (plain := rest.lower().removesuffix(f"_{field}")) != rest.lower() and plain:
            return section, names.get(plain, plain), field
    return None
