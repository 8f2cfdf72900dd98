"""`toryo config init`: the model and the agent, step by step. Nothing is written before the last step."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

import click

from toryo.app.configuring import (
    DEFAULT_MODELS,
    KEY_VARIABLES,
    PROVIDERS,
    Draft,
    Settings,
    draft,
    file_to_change,
    try_model,
)
from toryo.app.crew import agents_of, unknown_agent
from toryo.app.keys import checked, find_key, store_key
from toryo.app.models import available
from toryo.app.opening import settings_around
from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.config_set import project_option
from toryo.frontends.cli.talking import here, is_interactive, say

_OFFERED = tuple(name for name in PROVIDERS if name != "scripted")
_OF_THE_LAST_PROVIDER = ("key_env", "context", "price_in", "price_out", "scenario")


@dataclass(frozen=True, slots=True)
class _Given:
    """What the flags say; None: nothing."""

    provider: str | None
    model: str | None
    base_url: str | None
    agent: str | None


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is to be written."""

    provider: str
    model: str
    base_url: str
    agent: str
    key: str = ""
    """A new key; empty: none, or the one that is there."""


@click.command(name="init", epilog="Example: toryo config init --provider anthropic --agent claude --yes")
@click.option("--provider", type=click.Choice(_OFFERED), help="Who plans and judges.")
@click.option("--model", help="The model's name, as the provider knows it.")
@click.option("--base-url", help="Where an OpenAI-compatible or Anthropic endpoint is.")
@click.option("--agent", help="Who does tasks for which a plan names nobody.")
@click.option("--test/--no-test", default=None, help="Ask the model one tiny question before saving.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing: flags, present values, or what is here.")
@project_option
def command(
    provider: str | None,
    model: str | None,
    base_url: str | None,
    agent: str | None,
    test: bool | None,
    yes: bool,
    project: bool,
) -> None:
    """Choose the model that plans and judges, its key, and the agent for tasks.

    Finds what is installed and logged in, and proposes it. Where something is configured already, that is proposed.
    Keys go into a file of their own ('toryo keys'), never into the configuration.
    """
    where = here()
    settings = settings_around(where)
    given = _Given(provider, model, base_url, agent)
    if agent and agent not in agents_of(settings):
        raise unknown_agent(agent, agents_of(settings))
    if yes or not is_interactive():
        if not yes and provider is None:
            raise _nobody_to_ask()
        wish, is_asking = _without_asking(given, settings), False
    else:
        wish, is_asking = _asked(given, settings), True
    path = file_to_change(where, project=project)
    made = _draft(where, path, wish, was=settings.model.provider)
    _finish(wish, made, test=test, is_asking=is_asking)


def _nobody_to_ask() -> ToryoError:
    return ToryoError(
        "E515",
        "there is no terminal to ask questions in",
        hint=f"toryo config init --provider {'|'.join(_OFFERED)} [--model …] [--base-url …] [--agent …] --yes",
        exit_code=Exit.USAGE,
    )


def _without_asking(given: _Given, settings: Settings) -> _Wish:
    provider = given.provider or settings.model.provider or _found(settings)
    if not provider:
        raise ToryoError(
            "E510",
            "AI settings are required: no model was found here",
            hint="name one: toryo config init --provider openai --model … --base-url … --yes",
            exit_code=Exit.MISSING,
        )
    same = provider == settings.model.provider
    model = given.model if given.model is not None else settings.model.model if same else ""
    url = given.base_url if given.base_url is not None else settings.model.base_url if same else ""
    return _Wish(provider, model, url, given.agent or _agent(settings, provider))


def _found(settings: Settings) -> str:
    return next(
        (each.settings.provider for each in available(settings.model, settings, os.environ) if not each.missing), ""
    )


def _agent(settings: Settings, provider: str) -> str:
    """Who is configured; where nobody is, the program that plans can work too."""
    if settings.origins["run.agent"] != "default":
        return settings.run.agent
    return {"claude-code": "claude", "codex": "codex"}.get(provider, settings.run.agent)


# ── questions ────────────────────────────────────────────────────────────────


def _asked(given: _Given, settings: Settings) -> _Wish:
    say("What is here:")
    for each in available(settings.model, settings, os.environ):
        say(f"  {each.settings.provider:12} {each.missing or each.says}")
    default = settings.model.provider if settings.model.provider in _OFFERED else _found(settings)
    provider = given.provider or _choice("Who plans and judges?", _OFFERED, default)
    same = provider == settings.model.provider
    url = given.base_url
    if url is None and provider in KEY_VARIABLES:
        url = _line("Its URL (empty: the provider's own)", settings.model.base_url if same else "")
    model = given.model
    if model is None:
        proposed = settings.model.model if same else "" if url else DEFAULT_MODELS.get(provider, "")
        model = _line("Its model (empty: the provider's choice)", proposed)
    key = _key(provider, settings) if provider in KEY_VARIABLES else ""
    agent = given.agent or _choice("Who does tasks?", tuple(agents_of(settings)), _agent(settings, provider))
    return _Wish(provider, model, url or "", agent, key)


def _choice(question: str, names: tuple[str, ...], default: str) -> str:
    chosen: str = click.prompt(question, type=click.Choice(names), default=default or None, err=True)
    return chosen


def _line(question: str, default: str) -> str:
    text: str = click.prompt(question, default=default, err=True)
    return text.strip()


def _key(provider: str, settings: Settings) -> str:
    variable = settings.model.key_env if provider == settings.model.provider else ""
    present = find_key(provider, os.environ, variable)
    if present:
        say(f"Its key is SET ({present.source}).")
        return ""
    text: str = click.prompt(
        "Its key (not shown; empty: none for now)", default="", hide_input=True, show_default=False, err=True
    )
    return checked(text, "what was typed") if text.strip() else ""


# ── the last step ────────────────────────────────────────────────────────────


def _draft(where: Path, path: Path, wish: _Wish, *, was: str) -> Draft:
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


def _finish(wish: _Wish, made: Draft, *, test: bool | None, is_asking: bool) -> None:
    if test is None:
        test = is_asking and click.confirm("Ask it one tiny question now?", default=True, err=True)
    if test:
        try:
            say(asyncio.run(try_model(made.settings, _environ(wish, made.settings))))
        except ToryoError as error:
            error.kept = error.kept or "the configuration as it was"
            if not is_asking:
                raise
            say(f"{error.message}; {error.hint}")
            if not click.confirm("Save it all the same?", default=False, err=True):
                raise click.Abort from None
    if wish.key:
        say(f"the key is SET in {store_key(wish.provider, wish.key, os.environ)}")
    made.save()
    say(f"{made.path}: {wish.provider}{f' with {wish.model}' if wish.model else ''} plans, {wish.agent} does tasks")
    if wish.provider in KEY_VARIABLES and not wish.base_url and not _has_key(wish, made.settings):
        say(f"note: its key is NOT SET yet: toryo keys set {wish.provider}")
    for key in ("model.provider", "model.model", "model.base_url", "run.agent"):
        if (origin := made.settings.origins[key]) not in (str(made.path), "default"):
            say(f"note: {key} comes from {origin}, which goes before it")


def _has_key(wish: _Wish, settings: Settings) -> bool:
    return bool(wish.key or find_key(wish.provider, os.environ, settings.model.key_env))


def _environ(wish: _Wish, settings: Settings) -> dict[str, str]:
    """As if the key that was just typed were there already."""
    if not wish.key:
        return dict(os.environ)
    return {**os.environ, settings.model.key_env or KEY_VARIABLES[wish.provider]: wish.key}
