"""The configuration in its layers: defaults, user, project, project-local, environment, flags."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.settingagents import AgentSettings, agent_settings, look_at_agents, look_at_complexity
from toryo.adapters.settinghygiene import hygiene_settings, look_at_allowances, protection_settings
from toryo.adapters.settingkeys import FIXED, ROLES, HostChoice, Key, ModelRole
from toryo.adapters.settinglayers import (
    Given,
    Problem,
    content_layer,
    default_layer,
    file_layer,
    flag_layer,
    from_text,
)
from toryo.adapters.settingmodels import ModelSettings, look_at_models, model_settings
from toryo.adapters.settingvariables import environment_layer
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.hygiene import Hygiene, Protection
from toryo.domain.landing import LandingMode
from toryo.domain.limits import Budget
from toryo.domain.plan import Check, CheckMerges, Collisions, Complexity, Limits, TaskType

__all__ = [
    "AgentSettings",
    "ModelSettings",
    "RunSettings",
    "Settings",
    "WorktreeSettings",
    "config_files",
    "load_settings",
    "rows",
    "user_config_file",
]


@fact
class RunSettings:
    agent: str
    parallel: int
    checks_at_once: int | str
    """How many checks run at once, whichever; `auto`: as many as there are processors, up to four."""
    attempts: int
    time_limit: float
    grace: float
    quota_wait: float
    """The longest wait for a usage limit before the task is left to a person."""
    api_wait: float
    """The longest wait for a model API that does not answer."""
    answer_time: float
    """How long an interactive agent may wait for a person's answer."""
    prompt_silence: float
    """How long a run has to be silent at what looks like a prompt to count as waiting."""
    resolver: str
    review: bool
    """Whether a model reviews what agents did for an instruction, and judges the whole."""
    collisions: Collisions
    check_merges: CheckMerges
    land: LandingMode
    host: HostChoice
    pass_env: tuple[str, ...]
    """Patterns of environment variables that every agent gets in addition."""


@fact
class LandSettings:
    squash: bool
    remote: str
    watch: bool
    """Whether open pull requests are watched until they are merged or closed."""
    every: float
    """Seconds between two looks at them."""
    when_green: bool
    """Whether Toryo merges its pull requests itself; only where `autonomy.enabled` says so too."""


@fact
class AutonomySettings:
    enabled: bool
    """A person lets Toryo do by itself what else would wait for them; one of two switches, never enough alone."""
    types: tuple[str, ...]
    """Of intents that may run by themselves."""
    per_day: int
    """How many of them at most."""
    reflect: bool
    """Whether a model looks, after each intent, at what was noticed, and proposes more."""


@fact
class WorktreeSettings:
    setup: tuple[str, ...]
    keep: bool


@fact
class Settings:
    run: RunSettings
    roles: Mapping[TaskType, str]
    """Who does the tasks for which the plan names nobody, by their type."""
    complexity: Mapping[str, str]
    """Who does tasks of which complexity, where that is said: an agent, or an agent, `/` and its model."""
    model: ModelSettings
    """What plans and judges."""
    model_roles: Mapping[str, ModelSettings]
    """The same for each role, with what is said for that role alone."""
    limits: Limits
    """For tasks that have none of their own."""
    budget: Budget
    """What a session may use up."""
    hygiene: Hygiene
    protection: Protection
    land: LandSettings
    autonomy: AutonomySettings
    skills: str
    """The folder in which agents look for skills, from the root of the repository."""
    worktree: WorktreeSettings
    checks: tuple[Check, ...]
    agents: Mapping[str, AgentSettings]
    """Those about which something is configured."""
    origins: Mapping[str, str]
    """Where each value comes from, by dotted key."""
    texts: Mapping[str, str]
    """Each value as a person wrote it; values of environment variables are only said to be set."""


def load_settings(
    root: Path | None,
    environ: Mapping[str, str],
    flags: Mapping[str, object],
    drafts: Mapping[Path, bytes] | None = None,
) -> Settings:
    """All layers as one. Flags go by dotted key, a bare name is one of `run`; None counts as not given.

    With `drafts` as if these files held that.
    """
    problems: list[Problem] = []
    given: dict[Key, Given] = default_layer()
    for path in config_files(root, environ):
        draft = (drafts or {}).get(path)
        given.update(file_layer(path, problems) if draft is None else content_layer(path, draft, problems))
    given.update(environment_layer(environ, given, problems))
    asked = flag_layer(flags, problems)
    if ("run", "agent") in asked:  # who asks for an agent gets it, whatever the files say about some types of tasks
        given.update({key: value for key, value in default_layer().items() if key[0] in ("roles", "complexity")})
    given.update(asked)
    _look_at_checks(given, problems)
    look_at_agents(given, problems)
    look_at_complexity(given, problems)
    look_at_models(given, problems)
    look_at_allowances(given, problems)
    if problems:
        raise _refusal(problems)
    return _settings({key: value for key, value in given.items() if value.value is not None})


def value_in(key: str, text: str) -> object:
    """What a file would hold to set a dotted key to what a person typed; raises if it may not hold that."""
    problems: list[Problem] = []
    found = from_text(tuple(key.split(".")), text, "argument", problems)
    if found is None:
        raise _refusal(problems)
    return found.raw


def config_files(root: Path | None, environ: Mapping[str, str]) -> list[Path]:
    """The configuration files, weakest first, whether they exist or not."""
    project = [root / ".toryo" / "config.toml", root / ".toryo" / "config.local.toml"] if root else []
    return [user_config_file(environ), *project]


def user_config_file(environ: Mapping[str, str]) -> Path:
    """The person's own file; like the XDG rules say, a relative XDG_CONFIG_HOME counts as none."""
    home = Path(environ.get("XDG_CONFIG_HOME", ""))
    return (home / "toryo" if home.is_absolute() else _default_folder()) / "config.toml"


def _default_folder() -> Path:
    if sys.platform == "linux":
        return Path.home() / ".config" / "toryo"
    import platformdirs

    return Path(platformdirs.user_config_dir("toryo", False))


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
    run, land, autonomy, worktree = (
        {key[1]: value for key, value in values.items() if key[0] == section}
        for section in ("run", "land", "autonomy", "worktree")
    )
    settings = RunSettings(**run)  # type: ignore[arg-type]  # each kind has checked its value
    return Settings(
        run=settings,
        roles=_roles(settings, values),
        complexity={level.value: said for level in Complexity if (said := str(values["complexity", level.value]))},
        model=model_settings(given),
        model_roles={role.value: model_settings(given, role) for role in ModelRole},
        limits=_limits(values),
        budget=_budget(values),
        hygiene=hygiene_settings(given),
        protection=protection_settings(given),
        land=LandSettings(**land),  # type: ignore[arg-type]
        autonomy=AutonomySettings(**autonomy),  # type: ignore[arg-type]
        skills=str(values["learning", "skills"]),
        worktree=WorktreeSettings(**worktree),  # type: ignore[arg-type]
        checks=tuple(_check(name, values) for name in _names(given, "checks")),
        agents={name: agent_settings(name, given) for name in _names(given, "agents")},
        origins={".".join(key): given[key].origin for key in ordered},
        texts={".".join(key): as_text(key, given[key].raw) for key in ordered},
    )


def _roles(run: RunSettings, values: Mapping[Key, object]) -> dict[TaskType, str]:
    named = {role: str(values["roles", role.value]) for role in ROLES}
    return {role: agent or run.agent for role, agent in {**named, TaskType.INTEGRATION: run.resolver}.items()}


def _limits(values: Mapping[Key, object]) -> Limits:
    """0 stands for none."""
    files, tests, seconds = (values[("limits", name)] or None for name in ("files", "tests", "seconds"))
    return Limits(files, tests, float(seconds) if seconds else None)  # type: ignore[arg-type]


def _budget(values: Mapping[Key, object]) -> Budget:
    """0 stands for none."""
    said = {name: values[("budget", name)] or None for name in ("tokens", "usd", "wall", "runs")}
    return Budget(**said)  # type: ignore[arg-type]


def _rank(key: Key) -> int:
    fixed = list(FIXED)
    if key[:2] == ("model", "roles"):
        return fixed.index(("model", "scenario"))
    return fixed.index(key) if key in FIXED else len(fixed) + (key[0] == "agents")


def _names(given: Mapping[Key, Given], section: str) -> list[str]:
    """In the order they were first named."""
    return list(dict.fromkeys(key[1] for key in given if key[0] == section))


def _check(name: str, values: Mapping[Key, object]) -> Check:
    fields = {key[2]: value for key, value in values.items() if key[:2] == ("checks", name)}
    return Check(name, **fields)  # type: ignore[arg-type]


def as_text(key: Key, raw: object) -> str:
    """What a file holds, as a person reads it."""
    if key[0] == "agents" and key[2:3] == ("env",):
        return "SET"
    return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
