"""The configuration in its layers: defaults, user, project, project-local, environment, flags."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from toryo.adapters.settingkeys import FIXED, SCRIPTED, Key
from toryo.adapters.settinglayers import (
    Given,
    Problem,
    default_layer,
    environment_layer,
    file_layer,
    flag_layer,
)
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Check, OnFailure


@dataclass(frozen=True, slots=True)
class RunSettings:
    agent: str
    parallel: int
    attempts: int
    time_limit: float
    grace: float
    resolver: str
    land: str


@dataclass(frozen=True, slots=True)
class WorktreeSettings:
    setup: tuple[str, ...]
    keep: bool


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What is configured about one agent; an agent with a `command` needs no code."""

    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    scenario: Path | None = None
    """What the scripted agent does, absolute; None: nothing was configured."""


@dataclass(frozen=True, slots=True)
class Settings:
    run: RunSettings
    worktree: WorktreeSettings
    checks: tuple[Check, ...]
    agents: Mapping[str, AgentSettings]
    origins: Mapping[str, str]
    """Where each value comes from, by dotted key."""
    texts: Mapping[str, str]
    """Each value as a person wrote it; values of environment variables are only said to be set."""


def load_settings(root: Path | None, environ: Mapping[str, str], flags: Mapping[str, object]) -> Settings:
    """All layers as one. Flags go by dotted key, a bare name is one of `run`; None counts as not given."""
    problems: list[Problem] = []
    given: dict[Key, Given] = default_layer()
    for path in config_files(root, environ):
        given.update(file_layer(path, problems))
    given.update(environment_layer(environ, given, problems))
    given.update(flag_layer(flags, problems))
    _look_at_checks(given, problems)
    if problems:
        raise _refusal(problems)
    return _settings({key: value for key, value in given.items() if value.value is not None})


def config_files(root: Path | None, environ: Mapping[str, str]) -> list[Path]:
    """The configuration files, weakest first, whether they exist or not."""
    project = [root / ".toryo" / "config.toml", root / ".toryo" / "config.local.toml"] if root else []
    return [user_config_file(environ), *project]


def user_config_file(environ: Mapping[str, str]) -> Path:
    """The person's own file; like the XDG rules say, a relative XDG_CONFIG_HOME counts as none."""
    home = Path(environ.get("XDG_CONFIG_HOME", ""))
    folder = home / "toryo" if home.is_absolute() else Path(platformdirs.user_config_dir("toryo", False))
    return folder / "config.toml"


def rows(settings: Settings) -> list[tuple[str, str, str]]:
    """Each key with its value as text and where it comes from."""
    return [(key, settings.texts[key], origin) for key, origin in settings.origins.items()]


def _look_at_checks(given: Mapping[Key, Given], problems: list[Problem]) -> None:
    wrong = {problem.key[:2] for problem in problems}
    for key, value in given.items():
        name = key[:2]
        if key[0] == "checks" and (*name, "command") not in given and name not in wrong:
            wrong.add(name)
            problems.append(Problem((*name, "command"), value.where, "required key is missing"))


def _refusal(problems: list[Problem]) -> ToryoError:
    is_unknown = any(problem.is_unknown for problem in problems)
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    hint = "correct it there; `toryo config show` lists the keys and where each value comes from"
    error = ToryoError(
        "E120" if is_unknown else "E121", f"the configuration has {count}", hint=hint, exit_code=Exit.USAGE
    )
    return error.with_details([problem.line() for problem in problems])


def _settings(given: Mapping[Key, Given]) -> Settings:
    ordered = sorted(given, key=lambda key: (_rank(key), key[1:] if key not in FIXED else ()))
    values = {key: given[key].value for key in ordered}
    run, worktree = (
        {key[1]: value for key, value in values.items() if key[0] == section} for section in ("run", "worktree")
    )
    return Settings(
        run=RunSettings(**run),  # type: ignore[arg-type]  # each kind has checked its value
        worktree=WorktreeSettings(**worktree),  # type: ignore[arg-type]
        checks=tuple(_check(name, values) for name in _names(given, "checks")),
        agents={name: _agent(name, given) for name in _names(given, "agents")},
        origins={".".join(key): given[key].origin for key in ordered},
        texts={".".join(key): _as_text(key, given[key].raw) for key in ordered},
    )


def _rank(key: Key) -> int:
    fixed = list(FIXED)
    return fixed.index(key) if key in FIXED else len(fixed) + (key[0] == "agents")


def _names(given: Mapping[Key, Given], section: str) -> list[str]:
    """In the order they were first named."""
    return list(dict.fromkeys(key[1] for key in given if key[0] == section))


def _check(name: str, values: Mapping[Key, object]) -> Check:
    fields = {key[2]: value for key, value in values.items() if key[:2] == ("checks", name)}
    if "on_failure" in fields:
        fields["on_failure"] = OnFailure(str(fields["on_failure"]))
    return Check(name, **fields)  # type: ignore[arg-type]


def _agent(name: str, given: Mapping[Key, Given]) -> AgentSettings:
    own = {key[2:]: value for key, value in given.items() if key[:2] == ("agents", name)}
    if name == SCRIPTED:
        return AgentSettings(scenario=own["scenario",].path())
    command = own["command",].value if ("command",) in own else ()
    env = {key[1]: str(value.value) for key, value in own.items() if key[0] == "env"}
    return AgentSettings(command=tuple(map(str, command)), env=env)  # type: ignore[call-overload]


def _as_text(key: Key, raw: object) -> str:
    if key[0] == "agents" and key[2:3] == ("env",):
        return "SET"
    return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
