"""Every key the configuration knows: what it may hold, and what it is by default."""

from collections.abc import Mapping
from enum import StrEnum

from toryo.adapters.settingkinds import (
    AMOUNT,
    AT_ONCE,
    COMMAND,
    COUNT,
    DURATION,
    FILLED,
    FLAG,
    PATTERN,
    PRICE,
    TEMPLATE,
    TEXT,
    TEXTS,
    TOKENS,
    URL,
    USD,
    VARIABLE,
    VARIABLES,
    WALL,
    Kind,
    choice,
)
from toryo.domain.hygiene import Level, Rule
from toryo.domain.landing import LandingMode
from toryo.domain.plan import CheckMerges, Collisions, Complexity, OnFailure, TaskType
from toryo.domain.run import Mode

Key = tuple[str, ...]


class HostChoice(StrEnum):
    """Where runs live."""

    AUTO = "auto"
    """In tmux where there is one."""
    TMUX = "tmux"
    HEADLESS = "headless"


class Ends(StrEnum):
    """How an agent that is defined by configuration alone shows that its turn is over."""

    EXIT = "exit"
    SENTINEL = "sentinel"
    """It is told to run a command as its last step."""


ROLES = (TaskType.IMPLEMENTATION, TaskType.DOCUMENTATION, TaskType.INVESTIGATION, TaskType.REVIEW)
"""Kinds of tasks with an agent of their own; for integration that is `run.resolver`."""

PROVIDERS = ("claude-code", "codex", "openai", "anthropic", "scripted")


class ModelRole(StrEnum):
    """What a model is asked for; each may have a model of its own."""

    PLAN = "plan"
    REVIEW = "review"
    JUDGE = "judge"
    REPLAN = "replan"
    RETRY = "retry"
    """Whatever was asked for, after a reply that could not be used."""
    SUMMARY = "summary"
    """What a branch changes."""


_MODEL: Mapping[str, tuple[Kind, object]] = {
    "provider": (choice("", *PROVIDERS), ""),
    "model": (TEXT, ""),
    "base_url": (URL, ""),
    "key_env": (VARIABLE, ""),
    "max_tokens": (COUNT, 16_000),
    "context": (AMOUNT, 0),
    "timeout": (DURATION, "2m"),
    "price_in": (PRICE, 0),
    "price_out": (PRICE, 0),
    "scenario": (TEXT, ""),
}
MODEL_FIELDS = tuple(_MODEL)
ROLE_KEYS: tuple[Key, ...] = tuple(("model", "roles", role.value, name) for role in ModelRole for name in _MODEL)
"""What one use of a model can have for itself; nothing by default."""

FIXED: Mapping[Key, tuple[Kind, object]] = {
    ("run", "agent"): (FILLED, "shell"),
    ("run", "parallel"): (COUNT, 4),
    ("run", "checks_at_once"): (AT_ONCE, "auto"),
    ("run", "attempts"): (COUNT, 3),
    ("run", "time_limit"): (DURATION, "30m"),
    ("run", "grace"): (DURATION, "5s"),
    ("run", "quota_wait"): (DURATION, "6h"),
    ("run", "api_wait"): (DURATION, "10m"),
    ("run", "answer_time"): (DURATION, "10m"),
    ("run", "prompt_silence"): (DURATION, "15s"),
    ("run", "resolver"): (TEXT, ""),
    ("run", "review"): (FLAG, True),
    ("run", "collisions"): (choice(*Collisions), Collisions.SHOW.value),
    ("run", "check_merges"): (choice(*CheckMerges), CheckMerges.EACH.value),
    ("run", "land"): (choice(*LandingMode), LandingMode.BRANCH.value),
    ("run", "host"): (choice(*HostChoice), "auto"),
    ("run", "pass_env"): (VARIABLES, []),
    **{("roles", role.value): (TEXT, "") for role in ROLES},
    **{("complexity", level.value): (TEXT, "") for level in Complexity},
    **{("model", name): known for name, known in _MODEL.items()},
    **{("limits", name): (AMOUNT, 0) for name in ("files", "tests", "seconds")},
    ("budget", "tokens"): (TOKENS, 0),
    ("budget", "usd"): (USD, 0),
    ("budget", "wall"): (WALL, 0),
    ("budget", "runs"): (AMOUNT, 0),
    **{("hygiene", rule.value): (choice(*Level), Level.RETRY.value) for rule in Rule},
    ("protect", "paths"): (TEXTS, []),
    ("protect", "allow"): (TEXTS, []),
    ("protect", "deletions"): (AMOUNT, 10),
    ("land", "squash"): (FLAG, False),
    ("land", "remote"): (FILLED, "origin"),
    ("land", "watch"): (FLAG, True),
    ("land", "every"): (DURATION, "1m"),
    ("land", "when_green"): (FLAG, False),
    ("autonomy", "enabled"): (FLAG, False),
    ("learning", "skills"): (FILLED, ".claude/skills"),
    ("autonomy", "types"): (TEXTS, ["test", "docs", "refactor", "fix"]),
    ("autonomy", "per_day"): (AMOUNT, 10),
    ("autonomy", "reflect"): (FLAG, True),
    ("worktree", "setup"): (TEXTS, []),
    ("worktree", "keep"): (FLAG, False),
}
"""Keys with a name of their own, with their default."""

CHECK_FIELDS: Mapping[str, Kind] = {
    "command": FILLED,
    "timeout": DURATION,
    "on_failure": choice(*OnFailure),
    "parallel": COUNT,
}

ALLOWANCE_FIELDS: Mapping[str, Kind] = {"rule": choice(*Rule), "paths": TEXTS, "reason": FILLED}
"""Of a table in `hygiene.allow`, whose name people choose."""

KNOWN_AGENTS = ("claude", "codex", "gemini", "opencode")
"""Agents whose programs Toryo knows how to use."""
SCRIPTED, SHELL = "scripted", "shell"
BUILT_IN = (*KNOWN_AGENTS, SCRIPTED, SHELL)

_KNOWN_FIELDS: Mapping[str, Kind] = {
    "mode": choice(*Mode),
    "program": FILLED,
    "model": TEXT,
    "flags": TEXTS,
    "full_auto": FLAG,
    "pass_env": VARIABLES,
    "credential": TEXT,
}
_SHELL_FIELDS: Mapping[str, Kind] = {"pass_env": VARIABLES}
_SCRIPTED_FIELDS: Mapping[str, Kind] = {"scenario": FILLED, "mode": choice(*Mode)}
_OTHER_FIELDS: Mapping[str, Kind] = {
    "command": COMMAND,
    "flags": TEMPLATE,
    "resume": TEMPLATE,
    "mode": choice(*Mode),
    "ready": TEXT,
    "ends": choice(*Ends),
    "quota": PATTERN,
    "pass_env": VARIABLES,
    "credential": TEXT,
}
ANY_AGENT_FIELDS = tuple(dict.fromkeys([*_OTHER_FIELDS, *_KNOWN_FIELDS, *_SCRIPTED_FIELDS]))
"""What some agent has, whichever."""

SECTIONS = (
    "run",
    "roles",
    "complexity",
    "model",
    "limits",
    "budget",
    "hygiene",
    "protect",
    "land",
    "autonomy",
    "learning",
    "checks",
    "worktree",
    "agents",
)


def agent_fields(agent: str) -> Mapping[str, Kind]:
    """What can be said about an agent, but for its environment; without code, whatever its name, the most."""
    if agent in KNOWN_AGENTS:
        return _KNOWN_FIELDS
    return {SCRIPTED: _SCRIPTED_FIELDS, SHELL: _SHELL_FIELDS}.get(agent, _OTHER_FIELDS)


def kind_at(key: Key) -> Kind | None:
    """What the key may hold; None: there is no such key."""
    match key:
        case ("checks", _, name):
            return CHECK_FIELDS.get(name)
        case ("agents", agent, name):
            return agent_fields(agent).get(name)
        case ("agents", agent, "env", _) if agent != SCRIPTED:
            return TEXT
        case ("hygiene", "allow", _, name):
            return ALLOWANCE_FIELDS.get(name)
        case ("model", "roles", _, name) if key in ROLE_KEYS:
            return _MODEL[name][0]
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
            return [*agent_fields(agent), *(() if agent == SCRIPTED else ("env",))]
        case ("hygiene",):
            return [*Rule, "allow"]
        case ("hygiene", "allow", _):
            return list(ALLOWANCE_FIELDS)
        case ("model",):
            return [*MODEL_FIELDS, "roles"]
        case ("model", "roles"):
            return list(ModelRole)
        case ("model", "roles", _):
            return list(MODEL_FIELDS)
        case _:
            return [key[-1] for key in FIXED if key[:-1] == table]


def is_table(key: Key) -> bool:
    """Whether a table is expected here."""
    match key:
        case (section,):
            return section in SECTIONS
        case (("checks" | "agents"), _):
            return True
        case ("agents", agent, "env"):
            return agent != SCRIPTED
        case ("model", "roles") | ("hygiene", "allow") | ("hygiene", "allow", _):
            return True
        case ("model", "roles", role):
            return role in list(ModelRole)
        case _:
            return False


def whose(key: Key) -> str:
    """The end of a sentence about a key that exists elsewhere; empty if it does not."""
    match key:
        case ("agents", agent, name) if agent in BUILT_IN and name in _OTHER_FIELDS:
            return f"; '{agent}' is built in, only agents with another name have it"
        case ("agents", _, name) if name in _KNOWN_FIELDS:
            return f"; only {', '.join(KNOWN_AGENTS)} have it"
        case ("agents", _, "scenario"):
            return f"; only '{SCRIPTED}' has it"
        case ("model", ("key" | "api_key")):
            return "; keys are no part of the configuration: 'toryo keys set PROVIDER', or `key_env`"
        case ("roles", "integration"):
            return "; that is `resolver` in [run]"
        case _:
            return ""
