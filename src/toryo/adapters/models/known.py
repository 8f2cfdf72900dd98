"""The models that can be configured, each loaded when it is first wanted."""

from collections.abc import Callable, Mapping
from importlib import import_module

from toryo.adapters.settingagents import AgentSettings
from toryo.adapters.settingmodels import ModelSettings
from toryo.ports import Model

_WITH_KEY = {
    "openai": "openai:OpenAiModel",
    "anthropic": "anthropic:AnthropicModel",
    "scripted": "scripted:ScriptedModel",
}
_PROGRAMS = {
    "claude-code": "programs:ClaudeCodeModel",
    "codex": "programs:CodexModel",
}
AGENT_BEHIND = {"claude-code": "claude", "codex": "codex"}
"""Whose program answers."""
KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
URL_VARIABLES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}
DEFAULT_MODELS = {"openai": "gpt-5", "anthropic": "claude-sonnet-4-5"}
"""For the providers' own endpoints, where nobody named a model."""
KNOWN_MODELS = {
    "claude-code": ("sonnet", "opus", "haiku"),
    "openai": ("gpt-5", "gpt-5-mini", "gpt-5-nano"),
    "anthropic": ("claude-sonnet-4-5", "claude-opus-4-1", "claude-haiku-4-5"),
}
"""To choose from: whatever else a provider calls a model can be named, too, and none is looked for."""


def model_with_key(own: ModelSettings, key: str) -> Model:
    return _load(_WITH_KEY[own.provider])(own, key)


def model_of_program(
    own: ModelSettings, agent: AgentSettings, passes: tuple[str, ...], environ: Mapping[str, str]
) -> Model:
    """The answer of an installed program, as the agent of that name is configured."""
    return _load(_PROGRAMS[own.provider])(own, agent, passes, environ)


def _load(place: str) -> Callable[..., Model]:
    module, _, kind = place.partition(":")
    made: Callable[..., Model] = getattr(import_module(f"toryo.adapters.models.{module}"), kind)
    return made
