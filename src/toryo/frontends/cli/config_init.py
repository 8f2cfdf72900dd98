"""`toryo config init`: the model and the agent, step by step. Nothing is written before the last step."""

import os
from dataclasses import dataclass

import click

from toryo.app.configuration import settings_around
from toryo.app.configuring import Draft, Settings, file_to_change
from toryo.app.crew import agents_of, unknown_agent
from toryo.app.keys import checked, find_key
from toryo.app.modelwish import (
    OFFERED,
    ModelWish,
    agent_for,
    draft_of,
    first_here,
    offered,
    saved,
    takes_key,
    tried,
    usual_model,
)
from toryo.domain.errors import Exit, ToryoError
from toryo.frontends.cli.config_set import project_option
from toryo.frontends.cli.talking import here, is_interactive, say


@dataclass(frozen=True, slots=True)
class _Given:
    """What the flags say; None: nothing."""

    provider: str | None
    model: str | None
    base_url: str | None
    agent: str | None


@click.command(name="init", epilog="Example: toryo config init --provider anthropic --agent claude --yes")
@click.option("--provider", type=click.Choice(OFFERED), help="Who plans and judges.")
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
    made = draft_of(where, path, wish, was=settings.model.provider)
    _finish(wish, made, test=test, is_asking=is_asking)


def _nobody_to_ask() -> ToryoError:
    return ToryoError(
        "E515",
        "there is no terminal to ask questions in",
        hint=f"toryo config init --provider {'|'.join(OFFERED)} [--model …] [--base-url …] [--agent …] --yes",
        exit_code=Exit.USAGE,
    )


def _without_asking(given: _Given, settings: Settings) -> ModelWish:
    provider = given.provider or settings.model.provider or first_here(settings)
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
    return ModelWish(provider, model, url, given.agent or agent_for(settings, provider))


# ── questions ────────────────────────────────────────────────────────────────


def _asked(given: _Given, settings: Settings) -> ModelWish:
    say("What is here:")
    for each in offered(settings):
        say(f"  {each.provider:12} {each.says}")
    default = settings.model.provider if settings.model.provider in OFFERED else first_here(settings)
    provider = given.provider or _choice("Who plans and judges?", OFFERED, default)
    same = provider == settings.model.provider
    url = given.base_url
    if url is None and takes_key(provider):
        url = _line("Its URL (empty: the provider's own)", settings.model.base_url if same else "")
    model = given.model
    if model is None:
        proposed = settings.model.model if same else usual_model(provider, url or "")
        model = _line("Its model (empty: the provider's choice)", proposed)
    key = _key(provider, settings) if takes_key(provider) else ""
    agent = given.agent or _choice("Who does tasks?", tuple(agents_of(settings)), agent_for(settings, provider))
    return ModelWish(provider, model, url or "", agent, key)


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


def _finish(wish: ModelWish, made: Draft, *, test: bool | None, is_asking: bool) -> None:
    if test is None:
        test = is_asking and click.confirm("Ask it one tiny question now?", default=True, err=True)
    if test:
        try:
            say(tried(wish, made))
        except ToryoError as error:
            if not is_asking:
                raise
            say(f"{error.message}; {error.hint}")
            if not click.confirm("Save it all the same?", default=False, err=True):
                raise click.Abort from None
    for line in saved(wish, made):
        say(line)
