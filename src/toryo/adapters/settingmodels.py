"""What is configured about the models that plan and judge."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.adapters.settingkeys import MODEL_FIELDS, Key, ModelRole
from toryo.adapters.settinglayers import Given, Problem

_GENERAL = ("max_tokens", "timeout")
"""What holds for any provider; the rest is about the one it was said for."""
_CONTEXTS = {"claude-code": 160_000, "codex": 160_000, "anthropic": 160_000, "scripted": 160_000}
_CONTEXT_OF_OPENAI = 120_000
_CONTEXT_OF_UNKNOWN = 16_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """One model; equal settings are one model."""

    provider: str = ""
    """Empty: whatever is there."""
    model: str = ""
    """Empty: the provider's own choice, or the one that is known to be good."""
    base_url: str = ""
    key_env: str = ""
    """The environment variable with its key; empty: the provider's usual one."""
    max_tokens: int = 16_000
    """The most one reply may be long."""
    context: int = 0
    """What it can read at once, in tokens; 0: assumed by provider."""
    timeout: float = 120.0
    """The longest silence within a reply."""
    price_in: float = 0.0
    """US dollars per million tokens, for providers that name no cost."""
    price_out: float = 0.0
    scenario: Path | None = None
    """What the scripted model replies."""

    @property
    def context_tokens(self) -> int:
        """What it can read at once, reply included; of a model behind another URL little is assumed."""
        if self.context:
            return self.context
        if self.provider == "openai":
            return _CONTEXT_OF_UNKNOWN if self.base_url else _CONTEXT_OF_OPENAI
        return _CONTEXTS.get(self.provider, _CONTEXT_OF_UNKNOWN)


def model_settings(given: Mapping[Key, Given], role: ModelRole | None = None) -> ModelSettings:
    """The model of a role. With a provider of its own it takes nothing over that was said about another one."""
    general = _fields(given, ("model",))
    own = _fields(given, ("model", "roles", role)) if role else {}
    if "provider" in own and own["provider"].value != general["provider"].value:
        general = {name: value for name, value in general.items() if name in _GENERAL}
    fields = {**general, **own}
    values = {name: value.value for name, value in fields.items() if name != "scenario"}
    scenario = fields.get("scenario")
    path = scenario.path() if scenario and scenario.value else None
    return ModelSettings(scenario=path, **values)  # type: ignore[arg-type]  # each kind has checked its value


def look_at_models(given: Mapping[Key, Given], problems: list[Problem]) -> None:
    """What is wrong with the models as a whole, though each value may be right."""
    if any(problem.key[:1] == ("model",) for problem in problems):
        return
    problems.extend(_problems(("model",), given, model_settings(given)))
    for role in ModelRole:
        table = ("model", "roles", role.value)
        if _fields(given, table):
            problems.extend(_problems(table, given, model_settings(given, role)))


def _problems(table: Key, given: Mapping[Key, Given], model: ModelSettings) -> Iterator[Problem]:
    fields = _fields(given, table)
    if "provider" in fields and model.provider == "scripted" and model.scenario is None:
        yield Problem((*table, "scenario"), fields["provider"].where, "required key is missing")
    if model.provider in ("claude-code", "codex") and model.base_url and "base_url" in fields:
        message = f"is for openai and anthropic only; {model.provider} has settings of its own"
        yield Problem((*table, "base_url"), fields["base_url"].where, message)


def _fields(given: Mapping[Key, Given], table: Key) -> dict[str, Given]:
    return {name: given[*table, name] for name in MODEL_FIELDS if (*table, name) in given}
