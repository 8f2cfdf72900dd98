"""The shape of a plan file: which fields there are, and what each may hold; plan.schema.json says it to editors."""

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

from toryo.adapters.located import did_you_mean, kind_of
from toryo.adapters.planforms import Fields, Found, each, either, named, one
from toryo.adapters.settingkinds import COUNT, DURATION, FILLED, FLAG, Kind
from toryo.domain.facts import fact
from toryo.domain.hygiene import Allowance, Rule
from toryo.domain.plan import Complexity, Limits, OnFailure, TaskType, WorktreeChoice

MOST_CHARACTERS = 64
"""Of a name."""

CheckForm = str | dict[str, Any]
"""A command, or the fields of a check by their names."""
CheckTable = dict[str, CheckForm]


@fact
class TaskShape:
    """One task as the file says it."""

    key: str
    title: str
    type: TaskType = TaskType.IMPLEMENTATION
    description: str = ""
    acceptance: str | Sequence[str] = ()
    depends_on: Sequence[str] = ()
    scope: Sequence[str] = ()
    expect: Sequence[str] = ()
    agent: str | None = None
    command: str | None = None
    worktree: WorktreeChoice = WorktreeChoice.NEW
    limits: Limits = Limits()
    may_overlap: bool | None = None
    checks: str | CheckTable | list[str] | None = None
    tests_first: bool = False
    complexity: Complexity | None = None
    allow: Sequence[Allowance] = ()


@fact
class PlanShape:
    """A plan as the file says it, well-shaped; what refers to what has not been looked at."""

    tasks: list[TaskShape]
    title: str | None = None
    agent: str | None = None
    parallel: int | None = None
    may_overlap: bool = False
    checks: str | CheckTable | None = None


def plan_shape(value: object, found: Found) -> PlanShape | None:
    """What the file says; None if something is wrong, all of which is added to what was found."""
    shape = PLAN(value, (), found)
    return shape if isinstance(shape, PlanShape) else None


# ── single values, in words that fit the fields of a file ────────────────────


def _text(value: object) -> str:
    if not isinstance(value, str):
        quotes = "; put it in quotes" if isinstance(value, int | float) else ""
        raise ValueError(f"should be text, not {kind_of(value)}{quotes}")
    return value


def _filled(value: object) -> object:
    return FILLED.check(_text(value))


def _name(value: object) -> str:
    text = _text(value)
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"should have at most {MOST_CHARACTERS} characters")
    if not re.fullmatch("[A-Za-z0-9._-]+", text):
        raise ValueError(f"'{text}' should consist of letters, digits, '.', '_' and '-' only")
    return text


def _inside(value: object) -> object:
    parts = PurePosixPath(path := str(_filled(value))).parts
    if path.startswith("/") or ".." in parts or not parts:
        raise ValueError(f"'{path}' should be a path inside the repository, relative to its top")
    return path


def _count(value: object) -> object:
    if type(value) is not int:
        raise ValueError(f"should be a whole number, not {_said(value)}")
    return COUNT.check(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"should be true or false, not {_said(value)}")
    return value


def _seconds(value: object) -> object:
    try:
        return DURATION.check(value)
    except OverflowError:
        raise ValueError("a length of time should not be longer than a year") from None


def _choice(members: type[StrEnum]) -> Kind:
    def check(value: object) -> object:
        for member in members:
            if member == value:
                return member
        names = ", ".join(f"'{name}'" for name in members)
        raise ValueError(f"should be one of {names}, not {_said(value)}{did_you_mean(str(value), members)}")

    return Kind(check)


def _said(value: object) -> str:
    is_short = isinstance(value, str | int | float) and not isinstance(value, bool)
    return f"'{value}'" if is_short else kind_of(value)


NAME = Kind(_name)
PATHS = each(one(Kind(_inside)))
_TEXT, _FILLED, _NAMED, _COUNT = one(Kind(_text)), one(Kind(_filled)), one(NAME), one(Kind(_count))
_FLAG = one(FLAG)

# ── fields ───────────────────────────────────────────────────────────────────

CHECK = Fields(
    dict,
    {
        "command": _FILLED,
        "timeout": either(text=one(DURATION), number=one(Kind(_seconds))),
        "on_failure": one(_choice(OnFailure)),
        "parallel": _COUNT,
    },
    required=("command",),
)
LIMITS = Fields(Limits, {"files": _COUNT, "tests": _COUNT, "seconds": _COUNT})
ALLOWANCE = Fields(
    lambda rule, reason, paths=(): Allowance(rule, tuple(paths), reason),
    {"rule": one(_choice(Rule)), "paths": each(_FILLED), "reason": _FILLED},
    required=("rule", "reason"),
)
_CHECKS = named(NAME, either(text=_FILLED, mapping=CHECK))
TASK = Fields(
    TaskShape,
    {
        "key": _NAMED,
        "title": _FILLED,
        "type": one(_choice(TaskType)),
        "description": _TEXT,
        "acceptance": either(text=_FILLED, items=each(_FILLED)),
        "depends_on": each(_NAMED),
        "scope": each(_FILLED),
        "expect": PATHS,
        "agent": _FILLED,
        "command": _FILLED,
        "worktree": one(_choice(WorktreeChoice)),
        "limits": LIMITS,
        "may_overlap": _FLAG,
        "checks": either(text=_FILLED, mapping=_CHECKS, items=each(_NAMED)),
        "tests_first": one(Kind(_flag)),
        "complexity": one(_choice(Complexity)),
        "allow": each(ALLOWANCE),
    },
    required=("key", "title"),
)


def _plan(**said: Any) -> PlanShape:
    return PlanShape(**{name: value for name, value in said.items() if name != "$schema"})


PLAN = Fields(
    _plan,
    {
        "$schema": _FILLED,
        "title": _FILLED,
        "agent": _FILLED,
        "parallel": _COUNT,
        "may_overlap": _FLAG,
        "checks": either(text=_FILLED, mapping=_CHECKS),
        "tasks": each(TASK, least=1),
    },
    required=("tasks",),
)
