"""The model of sessions that are begun from now on, as a person chose it in the REPL."""

import os
from typing import NamedTuple

from toryo.adapters.models.known import DEFAULT_MODELS, KNOWN_MODELS
from toryo.app.configuration import settings_of
from toryo.app.models import Choice, choose, with_choice
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.plan import Chosen
from toryo.domain.repl import Provider


class InUse(NamedTuple):
    """What a session would be planned with that is begun now."""

    choice: Choice | None
    """None: there is nothing at all."""
    trouble: str = ""
    """Why it could not be; empty: it could."""
    hint: str = ""

    @property
    def provider(self) -> str:
        return self.choice.settings.provider if self.choice else ""

    @property
    def model(self) -> str:
        return self.choice.settings.model if self.choice else ""


def in_use(project: Project, chosen: Chosen) -> InUse:
    """Looks at programs, files and variables only; nobody is asked anything."""
    settings = with_choice(settings_of(project), chosen)
    try:
        found = choose(settings, "plan", os.environ)
    except ToryoError as error:  # a key that others could read, say
        return InUse(None, error.message, error.hint)
    if found is None:
        return InUse(None, "no model is configured, and none was found here", "toryo config init")
    return InUse(found, found.missing, found.hint)


def known_models(project: Project, provider: str) -> dict[str, str]:
    """Models by name, and what is known of each: any other text may be the name of one, too."""
    settings = settings_of(project)
    found: dict[str, str] = {}
    if settings.model.model and settings.model.provider == provider:
        found[settings.model.model] = "configured"
    for role, model in settings.model_roles.items():
        if model.provider == provider and model.model:
            found.setdefault(model.model, f"configured for {role}")
    if default := DEFAULT_MODELS.get(provider):
        found.setdefault(default, "the default")
    for name in KNOWN_MODELS.get(provider, ()):
        found.setdefault(name, "known")
    return found


def selectable(name: str) -> Provider | None:
    return next((provider for provider in Provider if provider.value == name.lower()), None)
