"""The models of a project: which one is used for what, and whether it can be used at all."""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from toryo.adapters.agents.probing import Login, login_of
from toryo.adapters.keys import find_key
from toryo.adapters.models.known import (
    AGENT_BEHIND,
    DEFAULT_MODELS,
    KEY_VARIABLES,
    URL_VARIABLES,
    model_of_program,
    model_with_key,
)
from toryo.adapters.settings import AgentSettings, ModelSettings, Settings
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Chosen
from toryo.ports import Model
from toryo.rules.environment import allowed

_PASSES = {"claude-code": ("ANTHROPIC_*", "CLAUDE_*"), "codex": ("CODEX_*", "OPENAI_*")}
"""What says whether somebody is logged in."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model that could be asked, as far as one can tell without asking."""

    settings: ModelSettings
    is_automatic: bool
    """Nobody named the provider: it is the first that is there."""
    says: str
    """What was found of it: its login, its key, its scenario."""
    missing: str = ""
    """What it lacks; empty: nothing."""
    hint: str = ""

    @property
    def name(self) -> str:
        return f"{self.settings.provider}/{self.settings.model}".rstrip("/")


class Models:
    """Every role's model, made when it is first asked for; roles with the same settings share one."""

    def __init__(self, settings: Settings, environ: Mapping[str, str] = os.environ) -> None:
        self._settings = settings
        self._environ = environ
        self._made: dict[ModelSettings, Model] = {}

    def for_role(self, role: str) -> Model:
        """Raises ToryoError where something is missing."""
        own = usable(self._settings, role, self._environ)
        if own not in self._made:
            self._made[own] = make_model(own, self._settings, self._environ)
        return self._made[own]

    async def close(self) -> None:
        for model in self._made.values():
            await model.close()
        self._made.clear()


def make_model(own: ModelSettings, settings: Settings, environ: Mapping[str, str] = os.environ) -> Model:
    """A model whose provider is settled."""
    if behind := AGENT_BEHIND.get(own.provider):
        agent = settings.agents.get(behind, AgentSettings())
        return model_of_program(own, agent, settings.run.pass_env, environ)
    key = find_key(own.provider, environ, own.key_env) if own.provider in KEY_VARIABLES else None
    return model_with_key(own, key.value if key else "")


def with_choice(settings: Settings, chosen: Chosen) -> Settings:
    """The configuration with the model that a person chose; roles with a model of their own keep it."""
    named = (settings.model.provider, settings.model.model)
    roles = {
        role: _chosen(own, chosen) if (own.provider, own.model) == named else own
        for role, own in settings.model_roles.items()
    }
    return replace(settings, model=_chosen(settings.model, chosen), model_roles=roles)


def _chosen(own: ModelSettings, chosen: Chosen) -> ModelSettings:
    if chosen.provider and chosen.provider != own.provider:
        # What was said about another provider's model says nothing about this one's.
        own = ModelSettings(chosen.provider, max_tokens=own.max_tokens, timeout=own.timeout)
    return replace(own, model=chosen.model or own.model)


def usable(settings: Settings, role: str, environ: Mapping[str, str] = os.environ) -> ModelSettings:
    """The role's settings with everything settled that was left open; raises ToryoError if something is missing."""
    found = choose(settings, role, environ)
    if found is None:
        raise ToryoError(
            "E510",
            "AI settings are required: no model is configured, and none was found here",
            hint="toryo config init",
            exit_code=Exit.MISSING,
        )
    if found.missing:
        words = f"the model {found.name} cannot be used: {found.missing}"
        raise ToryoError("E510", words, hint=found.hint, exit_code=Exit.MISSING)
    return found.settings


def choose(settings: Settings, role: str, environ: Mapping[str, str] = os.environ) -> Choice | None:
    """The configured model, or the first that is there; None: there is nothing at all."""
    own = settings.model_roles.get(role, settings.model)
    if own.provider:
        return _look(own, settings, environ, is_automatic=False)
    return next((found for found in available(own, settings, environ) if not found.missing), None)


def available(own: ModelSettings, settings: Settings, environ: Mapping[str, str]) -> Iterator[Choice]:
    """What could be used without further ado, best first, and what each lacks."""
    for provider in (*AGENT_BEHIND, *KEY_VARIABLES):
        yield _look(replace(own, provider=provider), settings, environ, is_automatic=True)


def _look(own: ModelSettings, settings: Settings, environ: Mapping[str, str], *, is_automatic: bool) -> Choice:
    if own.provider in AGENT_BEHIND:
        says, missing, hint = _program(own.provider, settings, environ)
    elif own.provider in KEY_VARIABLES:
        own = _with_defaults(own, environ)
        says, missing, hint = _endpoint(own, environ)
    else:
        there = own.scenario is not None and own.scenario.is_file()
        says, missing = f"scenario {own.scenario}", "" if there else f"there is no file {own.scenario}"
        hint = "" if there else "correct model.scenario"
    return Choice(own, is_automatic, says, missing, hint)


def _program(provider: str, settings: Settings, environ: Mapping[str, str]) -> tuple[str, str, str]:
    behind = AGENT_BEHIND[provider]
    agent = settings.agents.get(behind, AgentSettings())
    passes = (*_PASSES[provider], *agent.pass_env, *settings.run.pass_env)
    own = {**allowed(environ, passes), **agent.env}
    program = agent.program or behind
    if shutil.which(program, path=own.get("PATH")) is None:
        return "", f"its program '{program}' is not installed", "install it, or configure another: toryo config init"
    login, says, advice = login_of(behind, own, Path(own.get("HOME") or Path.home()))
    if login is Login.NO:
        return says, f"nobody is logged in: {says}", advice
    return says or "installed", "", ""


def _with_defaults(own: ModelSettings, environ: Mapping[str, str]) -> ModelSettings:
    url = own.base_url or environ.get(URL_VARIABLES[own.provider], "")
    model = own.model or ("" if url else DEFAULT_MODELS[own.provider])
    return replace(own, base_url=url, model=model)


def _endpoint(own: ModelSettings, environ: Mapping[str, str]) -> tuple[str, str, str]:
    where = own.base_url or "its own endpoint"
    key = find_key(own.provider, environ, own.key_env)
    if not own.model:
        hint = "set model.model, or run: toryo config init"
        return where, f"no model is named for {where}", hint
    if key:
        return f"{where}, key SET ({key.source})", "", ""
    if own.base_url and not own.key_env and own.provider == "openai":
        return f"{where}, key NOT SET", "", ""  # local servers want none
    variable = own.key_env or KEY_VARIABLES[own.provider]
    hint = f"toryo keys set {own.provider}, or set {variable}"
    return f"{where}, key NOT SET", f"its key is NOT SET (environment {variable}, key file, keyring)", hint
