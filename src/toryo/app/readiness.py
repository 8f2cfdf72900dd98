"""Whether agents can be set to work here, and what is missing, without asking a model anything."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import lru_cache
from pathlib import Path

from toryo.adapters.hosts.tmux_command import why_no_server
from toryo.adapters.keys import key_file
from toryo.adapters.models.known import KEY_VARIABLES
from toryo.adapters.settings import Settings, config_files
from toryo.adapters.watching import changes
from toryo.app.configuration import settings_around
from toryo.app.crew import agents_of, refuse_unusable
from toryo.app.models import choose as choose_model
from toryo.app.models import usable, with_choice
from toryo.app.planning import with_somebody
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.plan import Chosen

AI, TMUX, AGENT = "AI settings are required", "tmux is required", "a coding agent is required"
_ROLES = ("plan", "review", "judge", "replan")
_AS_CONFIGURED = Chosen()
_LOOK_AGAIN = 3.0
"""Seconds: no file tells that a program was installed, or that somebody has logged in."""


@fact
class Lack:
    """Something that is missing."""

    says: str
    """What is required, in the same words everywhere."""
    why: str
    do: str
    """What to do about it."""


@fact
class Readiness:
    model: Lack | None = None
    tmux: Lack | None = None
    agents: Lack | None = None
    model_name: str = ""
    """The one that would be asked."""

    @property
    def lacks(self) -> tuple[Lack, ...]:
        return tuple(lack for lack in (self.tmux, self.model, self.agents) if lack)

    @property
    def is_ready(self) -> bool:
        return not self.lacks


def readiness(root: Path, chosen: Chosen = _AS_CONFIGURED) -> Readiness:
    """Quick, but for a thread: files are read, and tmux is asked until it has worked once."""
    try:
        settings = with_choice(settings_around(root), chosen)
    except ToryoError as error:
        why = "; ".join((error.message, *error.details[:1]))
        return Readiness(Lack(AI, f"the configuration cannot be used: {why}", error.hint), _tmux("auto"))
    tmux = _tmux(settings.run.host)
    agents = None if tmux else _agents(settings)
    found = choose_model(settings, "plan")
    return Readiness(_model(settings), tmux, agents, found.name if found and not found.missing else "")


async def follow_readiness(root: Path, choose: Callable[[], Chosen] = Chosen) -> AsyncGenerator[Readiness, None]:
    """At once how it is, then again whenever that has become another."""
    keys = [key_file(provider, os.environ) for provider in KEY_VARIABLES]
    last: Readiness | None = None
    async with aclosing(changes([*config_files(root, os.environ), *keys], at_least_every=_LOOK_AGAIN)) as looks:
        async for _ in looks:
            found = await asyncio.to_thread(lambda: readiness(root, choose()))
            if found != last:
                last = found
                yield found


def _model(settings: Settings) -> Lack | None:
    for role in _ROLES:
        try:
            usable(settings, role)
        except ToryoError as error:
            return Lack(AI, error.message.removeprefix(f"{AI}: "), error.hint)
    return None


def _tmux(host: str) -> Lack | None:
    """Who has configured that agents work without windows needs none."""
    if host == "headless":
        return None
    surroundings = tuple(os.environ.get(name, "") for name in ("PATH", "TMUX", "TMUX_TMPDIR", "TMPDIR"))
    try:
        _works(surroundings)
    except _DoesNot as error:
        return Lack(TMUX, f"tmux cannot be used: {error}", 'install tmux, or set run.host = "headless"')
    return None


class _DoesNot(Exception):
    pass


@lru_cache(maxsize=8)
def _works(_: tuple[str, ...]) -> None:
    """What has worked once goes on working; what has not is tried again whenever somebody asks."""
    if why := why_no_server():
        raise _DoesNot(why)


def _agents(settings: Settings) -> Lack | None:
    try:
        names = {*with_somebody(settings, None).values()}
        names |= {said.partition("/")[0] for said in settings.complexity.values()}
        crew = agents_of(settings)
        refuse_unusable([crew[name] for name in sorted(names)], settings.run.host)
    except ToryoError as error:
        return Lack(AGENT, error.message, error.hint)
    return None
