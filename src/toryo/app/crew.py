"""The agents that can be named in a plan, as the configuration makes them."""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from toryo.adapters.agents.scripted import ScriptedAgent
from toryo.adapters.agents.shell import ShellAgent
from toryo.adapters.settings import AgentSettings, Settings
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.limits import Budget
from toryo.domain.run import Mode
from toryo.ports import Agent, Host
from toryo.rules.environment import allowed

if TYPE_CHECKING:
    from toryo.adapters.agents.probing import Probe

_KNOWN = {
    "claude": "claude:Claude",
    "codex": "codex:Codex",
    "gemini": "gemini:Gemini",
    "opencode": "opencode:OpenCode",
}


class Crew(Mapping[str, Agent]):
    """Every agent by its name; made, and its code loaded, when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        configured = [name for name, own in settings.agents.items() if own.command]
        self._names = tuple(dict.fromkeys((*_KNOWN, "shell", "scripted", *configured)))
        self._made: dict[str, Agent] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> Agent:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Agent:
        own = self._settings.agents.get(name, AgentSettings())
        everywhere = self._settings.run.pass_env
        if name in _KNOWN:
            module, _, kind = _KNOWN[name].partition(":")
            agent: Agent = getattr(import_module(f"toryo.adapters.agents.{module}"), kind)(own, everywhere)
            return agent
        if name == "shell":
            return ShellAgent(own.env, (*own.pass_env, *everywhere))
        if name == "scripted":
            return ScriptedAgent(own.scenario, own.mode)
        from toryo.adapters.agents.configured import ConfiguredAgent

        return ConfiguredAgent(name, own, everywhere)


def agents_of(settings: Settings) -> Crew:
    return Crew(settings)


def agent_as_started(settings: Settings, name: str, record: Path) -> Agent | None:
    """The agent of a run in the mode in which it was started, which may be long ago; None: nobody is called that."""
    own = settings.agents.get(name, AgentSettings())
    try:
        was_interactive = json.loads((record / "launch.json").read_bytes())["interactive"]
        own = replace(own, mode=Mode.INTERACTIVE if was_interactive else Mode.HEADLESS)
    except (OSError, ValueError, KeyError):
        pass  # of a version that did not note it: as configured now
    return agents_of(replace(settings, agents={**settings.agents, name: own})).get(name)


@fact
class Found:
    """An agent, and what is here of it."""

    agent: Agent
    probe: "Probe"
    tested: str = ""
    """The version it was last tried with."""


def look_for_agents(settings: Settings, name: str | None = None) -> list[Found]:
    """All agents, or one; programs are asked for their versions all at once, since some take seconds."""
    from concurrent.futures import ThreadPoolExecutor

    from toryo.adapters.agents.probing import probe

    agents = [agent for agent in agents_of(settings).values() if name in (None, agent.name)]

    def look(agent: Agent) -> Found:
        found = probe(agent, allowed(os.environ, agent.passes), Path.home())
        return Found(agent, found, getattr(agent, "tested", ""))

    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(look, agents))


def first_ready(settings: Settings) -> str | None:
    """The first of the well-known agents that is installed and, as far as one can see, logged in; none is started."""
    from toryo.adapters.agents.probing import Login, login_of

    for name in _KNOWN:
        agent = agents_of(settings)[name]
        environ = {**allowed(os.environ, agent.passes), **settings.agents.get(name, AgentSettings()).env}
        program = agent.program()
        if program is None or shutil.which(program) is None:
            continue
        if login_of(name, environ, Path(environ.get("HOME") or Path.home()))[0] is not Login.NO:
            return name
    return None


def host_of(wanted: str) -> Host:
    """Where runs live: in windows where there is tmux, unless that is not wanted.

    Whether tmux works is not tried here: a headless run does not need its window, and an interactive one is
    refused beforehand.
    """
    if wanted == "headless" or shutil.which("tmux") is None:
        from toryo.adapters.hosts.headless import HeadlessHost

        return HeadlessHost()
    from toryo.adapters.hosts.tmux import TmuxHost

    return TmuxHost(os.environ)


def refuse_unusable(agents: Iterable[Agent], host: str) -> None:
    """Says what is missing before anything starts, and not after an hour."""
    if host == "tmux" and (why := _why_no_tmux()):
        raise ToryoError(
            "E503",
            f"tmux is required, as run.host says, and cannot be used: {why}",
            hint="install tmux, or run with --host headless",
            exit_code=Exit.MISSING,
        )
    for agent in agents:
        program = agent.program()
        if program is not None and shutil.which(program) is None:
            raise ToryoError(
                "E502",
                f"agent {agent.name}: its program '{program}' is not installed",
                hint="install it, or name another agent; 'toryo agents' shows what is here",
                exit_code=Exit.MISSING,
            )
        if agent.mode is Mode.INTERACTIVE and (why := why_no_windows(host)):
            raise ToryoError(
                "E503",
                f"tmux is required: agent {agent.name} is interactive, and {why}",
                hint=f'{how_to_get_windows(host)}, or set agents.{agent.name}.mode = "headless"',
                exit_code=Exit.MISSING,
            )


def unknown_agent(name: str, known: Iterable[str]) -> ToryoError:
    import difflib

    near = difflib.get_close_matches(name, known := sorted(known), n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
    return ToryoError("E501", f"there is no agent '{name}'", hint=hint)


def how_to_get_windows(host: str) -> str:
    return "run with --host tmux" if host == "headless" else "install tmux"


def why_no_windows(host: str) -> str:
    """Why runs have no windows here; empty: they have."""
    if host == "headless":
        return "run.host is headless"
    why = _why_no_tmux()
    return f"tmux cannot be used: {why}" if why else ""


def _why_no_tmux() -> str:
    from toryo.adapters.hosts.tmux_command import why_unusable

    return why_unusable()


def uncounted(budget: Budget, agents: Iterable[Agent]) -> tuple[str, ...]:
    """A line for each limit that some agents do not help to keep, as they do not tell what they use."""
    lines = []
    able = [(agent.name, agent.abilities) for agent in agents if agent.program() is not None]
    for limit, noun, silent in (
        (budget.tokens, "tokens", [name for name, can in able if not can.counts_tokens]),
        (budget.usd, "costs", [name for name, can in able if not can.counts_money]),
    ):
        if limit is not None and silent:
            lines.append(f"{', '.join(sorted(silent))}: {noun} cannot be counted, so the budget does not hold for that")
    return tuple(lines)
