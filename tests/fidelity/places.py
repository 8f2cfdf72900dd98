"""Finding a place that a table names: in the code, in the documented JSON, in a file, a command or a setting."""

import enum
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, is_typeddict

from click import Command, Context, Group
from tests.fidelity.tables import ROOT
from tests.support.sessions import a_session, block, integrate, planned, run_of

from toryo.adapters.settingkeys import FIXED, agent_fields
from toryo.domain.plan import Check
from toryo.rules.masking import mask
from toryo.views.inbox import inbox
from toryo.views.inboxitems import item_row
from toryo.views.rows import run_row, session_row, task_details
from toryo.views.summary import summary


class NotThere(Exception):
    """The place does not exist (any more)."""


def find(place: str) -> object:
    """Whatever is at the place; raises NotThere."""
    kind, _, rest = place.partition(":")
    look = _KINDS.get(kind, _in_code)
    return look(place if look is _in_code else rest)


# ── code ─────────────────────────────────────────────────────────────────────

_MOVE = re.compile(r"(.+)\[(\w+) -> (\w+)\]")


def _in_code(place: str) -> object:
    if found := _MOVE.fullmatch(place):
        return _move(*found.groups())
    module, _, names = place.partition(":")
    try:
        here: Any = import_module(module)
    except ImportError as error:
        raise NotThere(f"{place}: {error}") from error
    for name in filter(None, names.split(".")):
        here = _member(here, name, place)
    return here


def _member(owner: Any, name: str, place: str) -> Any:
    if isinstance(owner, type) and is_typeddict(owner):
        known = owner.__required_keys__ | owner.__optional_keys__
        if name not in known:
            raise NotThere(f"{place}: a {owner.__name__} has no {name}")
        return owner
    if isinstance(owner, type) and name in _annotations(owner):
        return owner  # a field, also one without a default
    try:
        return getattr(owner, name)
    except AttributeError as error:
        raise NotThere(f"{place}: {error}") from error


def _annotations(kind: type) -> set[str]:
    return {name for base in kind.__mro__ for name in getattr(base, "__annotations__", ())}


def _move(table: str, old: str, new: str) -> object:
    moves: Any = _in_code(table)
    states: type[enum.Enum] = type(next(iter(moves)))
    if old not in states.__members__ or new not in states.__members__ or states[new] not in moves[states[old]]:
        raise NotThere(f"{table} does not lead from {old} to {new}")
    return moves


# ── what people see ──────────────────────────────────────────────────────────

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


def _in_json(place: str) -> object:
    """A key that is both in the answer and in the page about it."""
    section, _, key = place.partition(".")
    documented = _documented().get(section, "")
    if not re.search(rf"^\| [^|]*`{re.escape(key)}`[^|]*\|", documented, re.MULTILINE):
        raise NotThere(f"docs/json.md does not say what `{key}` is in the section '{section}'")
    row = _rows().get(section, {})
    if key not in row:
        raise NotThere(f"the answer '{section}' has no `{key}`")
    return row[key]


@cache
def _documented() -> dict[str, str]:
    _, *parts = _HEADING.split((ROOT / "docs" / "json.md").read_text(encoding="utf-8"))
    return {title.lower(): text for title, text in zip(parts[::2], parts[1::2], strict=True)}


@cache
def _rows() -> dict[str, dict[str, Any]]:
    session = integrate(a_session(planned("A", checks=(Check("test", "true"),)), "B"), "A")
    details = task_details(session, session.task("A"))
    (item,) = inbox(block(session, "B"))
    return {
        "summary": summary(session),
        "session": session_row(session),
        "task": details,
        "task in detail": details,
        "run": run_row(run_of(session, "A")),
        "evidence": details["evidence"][0],
        "check result": details["runs"][0]["checks"][0],
        "usage": details["usage"],
        "inbox": item_row(item),
    }


def _in_file(path: str) -> object:
    if not (ROOT / path).is_file():
        raise NotThere(f"there is no file {path}")
    return ROOT / path


def _in_commands(words: str) -> object:
    """A command, its subcommands, and perhaps an option."""
    from toryo.frontends.cli import LazyGroup

    here: Command = LazyGroup("toryo")
    for word in words.split():
        if word.startswith("--"):
            if not any(word in parameter.opts for parameter in here.params):
                raise NotThere(f"'{words}': there is no {word}")
            continue
        found = here.get_command(Context(here), word) if isinstance(here, Group) else None
        if found is None:
            raise NotThere(f"there is no command '{words}'")
        here = found
    return here


def _in_settings(key: str) -> object:
    parts = tuple(key.split("."))
    if parts in FIXED:
        return FIXED[parts]
    match parts:
        case ("agents", "<agent>", name) if name in agent_fields("claude") or name in agent_fields(""):
            return name
    raise NotThere(f"there is no setting {key}")


_WORD = "a1b2c3d4" * 4
_SECRETS = {
    "OPENAI_KEY": f"sk-{_WORD}",
    "ANTHROPIC_KEY": f"sk-ant-{_WORD}",
    "PRIVATE_KEY": f"-----BEGIN RSA PRIVATE KEY-----\n{_WORD}\n-----END RSA PRIVATE KEY-----",
    "JWT": f"eyJ{_WORD}.eyJ{_WORD}.{_WORD}",
    "AUTH_HEADER": f"Authorization: Bearer {_WORD}",
    "COOKIE": f"Cookie: id={_WORD}",
    "SET_COOKIE": f"Set-Cookie: id={_WORD}",
    "JSON_CREDENTIAL": f'"password": "{_WORD}"',
    "ENV_CREDENTIAL": f"PASSWORD={_WORD}",
    "BEARER_TOKEN": f"Bearer {_WORD}",
    "GENERIC_SECRET": f"secret: {_WORD}",
}


def _in_masks(kind: str) -> object:
    """A kind of secret: an example of it is really masked as such."""
    shown = mask(_SECRETS[kind]) if kind in _SECRETS else ""
    if f"[MASKED:{kind}]" not in shown or _WORD in shown:
        raise NotThere(f"a secret of the kind {kind} is shown as {shown!r}")
    return shown


def _in_requirements(name: str) -> object:
    from tests.fidelity.requirements import requirements

    known = requirements()
    if name not in known:
        raise NotThere(f"there is no requirement {name}")
    return known[name]


_KINDS: dict[str, Callable[[str], object]] = {
    "json": _in_json,
    "file": _in_file,
    "command": _in_commands,
    "setting": _in_settings,
    "mask": _in_masks,
    "requirement": _in_requirements,
}
