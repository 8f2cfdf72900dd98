"""The model that plans and the agent that works, as a person chooses them: proposed, tried, and saved at the end."""

import asyncio
import os
from pathlib import Path

from toryo.adapters.models.known import DEFAULT_MODELS, KEY_VARIABLES
from toryo.adapters.settingkeys import PROVIDERS
from toryo.adapters.settings import Settings
from toryo.app.configuring import Draft, draft, try_model
from toryo.app.crew import agents_of
from toryo.app.keys import find_key, store_key
from toryo.app.models import available
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact

OFFERED = tuple(name for name in PROVIDERS if name != "scripted")
_OF_THE_LAST_PROVIDER = ("key_env", "context", "price_in", "price_out", "scenario")
_CHANGED = ("model.provider", "model.model", "model.base_url", "run.agent")


@fact
class ModelWish:
    """What is to be written."""

    provider: str
    model: str = ""
    """Empty: the provider's choice."""
    base_url: str = ""
    """Empty: the provider's own."""
    agent: str = ""
    key: str = ""
    """A new key; empty: none, or the one that is there."""


@fact
class Offered:
    """A provider that could be chosen, and what is here of it."""

    provider: str
    says: str
    is_ready: bool


def offered(settings: Settings) -> list[Offered]:
    looked = available(settings.model, settings, os.environ)
    return [
        Offered(
            each.settings.provider,
            each.missing or each.says,
            is_ready=not each.missing,
        )
        for each in looked
    ]


def proposed(settings: Settings) -> ModelWish:
    """What is configured; else the first that is there. No provider: nothing is there."""
    own = settings.model
    provider = own.provider if own.provider in OFFERED else first_here(settings)
    is_own = provider == own.provider
    agent = agent_for(settings, provider)
    return ModelWish(provider, own.model if is_own else "", own.base_url if is_own else "", agent)


def first_here(settings: Settings) -> str:
    return next((each.provider for each in offered(settings) if each.is_ready), "")


def agent_for(settings: Settings, provider: str) -> str:
    """Who is configured; where nobody is, the program that plans can work too."""
    if settings.origins["run.agent"] != "default":
        return settings.run.agent
    return {"claude-code": "claude", "codex": "codex"}.get(provider, settings.run.agent)


def usual_model(provider: str, base_url: str) -> str:
    """What is proposed where nothing was chosen yet; whoever answers at another address knows other names."""
    return "" if base_url else DEFAULT_MODELS.get(provider, "")


def agent_names(settings: Settings) -> list[str]:
    return list(agents_of(settings))


def takes_key(provider: str) -> bool:
    return provider in KEY_VARIABLES


def has_key(wish: ModelWish, settings: Settings) -> bool:
    variable = settings.model.key_env if wish.provider == settings.model.provider else ""
    return bool(wish.key or find_key(wish.provider, os.environ, variable))


# ── the last step ────────────────────────────────────────────────────────────


def draft_of(where: Path, path: Path, wish: ModelWish, *, was: str) -> Draft:
    """Only what is said; what is left to the provider has a line only where another file would decide it."""
    values: dict[tuple[str, ...], object | None] = {
        ("model", "provider"): wish.provider,
        ("model", "model"): wish.model or None,
        ("model", "base_url"): wish.base_url or None,
        ("run", "agent"): wish.agent,
    }
    if wish.provider != was:
        values |= {("model", name): None for name in _OF_THE_LAST_PROVIDER}
    made = draft(where, path, values)
    if made.settings.model.model != wish.model:
        values["model", "model"] = wish.model
    if made.settings.model.base_url != wish.base_url:
        values["model", "base_url"] = wish.base_url
    return draft(where, path, values)


def tried(wish: ModelWish, made: Draft) -> str:
    """Who answered one tiny question; raises ToryoError where nobody did. Nothing was saved then."""
    try:
        return asyncio.run(try_model(made.settings, _environ(wish, made.settings)))
    except ToryoError as error:
        error.kept = error.kept or "the configuration as it was"
        raise


def saved(wish: ModelWish, made: Draft) -> list[str]:
    """Writes key and configuration; what a person should know about it, a line each."""
    said = []
    if wish.key:
        said.append(f"the key is SET in {store_key(wish.provider, wish.key, os.environ)}")
    made.save()
    model = f" with {wish.model}" if wish.model else ""
    said.append(f"{made.path}: {wish.provider}{model} plans, {wish.agent} does tasks")
    if takes_key(wish.provider) and not wish.base_url and not has_key(wish, made.settings):
        said.append(f"note: its key is NOT SET yet: toryo keys set {wish.provider}")
    origins = {key: made.settings.origins[key] for key in _CHANGED}
    others = {key: origin for key, origin in origins.items() if origin not in (str(made.path), "default")}
    return said + [f"note: {key} comes from {origin}, which goes before it" for key, origin in others.items()]


def _environ(wish: ModelWish, settings: Settings) -> dict[str, str]:
    """As if the key that was just typed were there already."""
    if not wish.key:
        return dict(os.environ)
    return {**os.environ, settings.model.key_env or KEY_VARIABLES[wish.provider]: wish.key}
