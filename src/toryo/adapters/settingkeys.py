"""Every key the configuration knows: what it may hold, and what it is by default."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toryo.adapters.located import kind_of
from toryo.domain.plan import OnFailure
from toryo.rules.durations import checked_seconds, parse_duration

Key = tuple[str, ...]
LANDINGS = ("branch",)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a key may hold: `check` makes a value of what a file says, `read` reads it from plain text."""

    check: Callable[[object], object]
    read: Callable[[str], object] = str


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"should be text, not {kind_of(value)}")
    if "\0" in value:
        raise ValueError("contains a NUL character")
    return value


def _filled(value: object) -> str:
    if not _text(value).strip():
        raise ValueError("should not be blank")
    return _text(value)


def _count(value: object) -> int:
    if type(value) is not int:
        raise ValueError(f"should be a whole number, not {value if type(value) is float else kind_of(value)}")
    if value < 1:
        raise ValueError(f"should be at least 1, not {value}")
    return value


def _count_in(text: str) -> object:
    return int(text) if text.strip().lstrip("+-").isdecimal() and len(text) < 20 else text


def _duration(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return checked_seconds(value)
    if not isinstance(value, str):
        raise ValueError(f"should be a length of time such as 90s or 10m, not {kind_of(value)}")
    return parse_duration(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"should be true or false, not {kind_of(value)}")
    return value


def _flag_in(text: str) -> object:
    return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"should be a list of texts, not {kind_of(value)}")
    return tuple(_filled(item) for item in value)


def _texts_in(text: str) -> object:
    if text.lstrip().startswith("["):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ValueError(f"is not a JSON list: {error}") from error
    return [part.strip() for part in text.split(",") if part.strip()]


def _choice(*names: str) -> Kind:
    def check(value: object) -> str:
        if value not in names:
            said = f"'{value}'" if isinstance(value, str) else kind_of(value)
            raise ValueError(f"should be one of {', '.join(names)}, not {said}")
        return str(value)

    return Kind(check)


TEXT, FILLED, DURATION = Kind(_text), Kind(_filled), Kind(_duration)
COUNT, FLAG, TEXTS = Kind(_count, _count_in), Kind(_flag, _flag_in), Kind(_texts, _texts_in)

FIXED: Mapping[Key, tuple[Kind, object]] = {
    ("run", "agent"): (FILLED, "shell"),
    ("run", "parallel"): (COUNT, 4),
    ("run", "attempts"): (COUNT, 3),
    ("run", "time_limit"): (DURATION, "30m"),
    ("run", "grace"): (DURATION, "5s"),
    ("run", "resolver"): (TEXT, ""),
    ("run", "land"): (_choice(*LANDINGS), "branch"),
    ("worktree", "setup"): (TEXTS, []),
    ("worktree", "keep"): (FLAG, False),
}
"""Keys with a name of their own, with their default."""

CHECK_FIELDS: Mapping[str, Kind] = {
    "command": FILLED,
    "timeout": DURATION,
    "on_failure": _choice(*OnFailure),
    "parallel": COUNT,
}
AGENT_FIELDS: Mapping[str, Kind] = {"command": TEXTS}
SCRIPTED = "scripted"
SCRIPTED_FIELDS: Mapping[str, Kind] = {"scenario": FILLED}

SECTIONS = ("run", "checks", "worktree", "agents")


def kind_at(key: Key) -> Kind | None:
    """What the key may hold; None: there is no such key."""
    match key:
        case ("checks", _, name):
            return CHECK_FIELDS.get(name)
        case ("agents", agent, name):
            return (SCRIPTED_FIELDS if agent == SCRIPTED else AGENT_FIELDS).get(name)
        case ("agents", agent, "env", _) if agent != SCRIPTED:
            return TEXT
        case _:
            return FIXED[key][0] if key in FIXED else None


def names_in(table: Key) -> list[str]:
    """The names that may stand in a table, for suggestions."""
    match table:
        case ():
            return list(SECTIONS)
        case ("checks", _):
            return list(CHECK_FIELDS)
        case ("agents", agent):
            return list(SCRIPTED_FIELDS) if agent == SCRIPTED else [*AGENT_FIELDS, "env"]
        case _:
            return [key[-1] for key in FIXED if key[:-1] == table]


def is_table(key: Key) -> bool:
    """Whether a table is expected here."""
    match key:
        case (("run" | "checks" | "worktree" | "agents"),) | (("checks" | "agents"), _):
            return True
        case ("agents", agent, "env"):
            return agent != SCRIPTED
        case _:
            return False
