"""The agents that can be named in a plan, as the configuration makes them."""

import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from toryo.adapters.agents.claude import Claude
from toryo.adapters.agents.codex import Codex
from toryo.adapters.agents.configured import ConfiguredAgent
from toryo.adapters.agents.gemini import Gemini
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.opencode import OpenCode
from toryo.adapters.agents.probing import Probe, probe
from toryo.adapters.agents.scripted import ScriptedAgent
from toryo.adapters.agents.shell import ShellAgent
from toryo.adapters.hosts.headless import HeadlessHost
from toryo.adapters.hosts.tmux import TmuxHost
from toryo.adapters.hosts.tmux_command import why_unusable
from toryo.adapters.settings import AgentSettings, Settings
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.run import Mode
from toryo.ports import Agent, Host
from toryo.rules.environment import allowed

KNOWN: tuple[type[KnownAgent], ...] = (Claude, Codex, Gemini, OpenCode)


def agents_of(settings: Settings) -> dict[str, Agent]:
    """Every agent by its name."""
    everywhere = settings.run.pass_env

    def of(name: str) -> AgentSettings:
        return settings.agents.get(name, AgentSettings())

    agents: dict[str, Agent] = {agent.name: agent(of(agent.name), everywhere) for agent in KNOWN}
    agents["shell"] = ShellAgent(of("shell").env, (*of("shell").pass_env, *everywhere))
    agents["scripted"] = ScriptedAgent(of("scripted").scenario, of("scripted").mode)
    for name, own in settings.agents.items():
        if own.command:
            agents[name] = ConfiguredAgent(name, own, everywhere)
    return agents


@dataclass(frozen=True, slots=True)
class Found:
    """An agent, and what is here of it."""

    agent: Agent
    probe: Probe
    tested: str = ""
    """The version it was last tried with."""


def look_for_agents(settings: Settings, name: str | None = None) -> list[Found]:
    """All agents, or one; programs are asked for their versions all at once, since some take seconds."""
    agents = [agent for agent in agents_of(settings).values() if name in (None, agent.name)]

    def look(agent: Agent) -> Found:
        found = probe(agent, allowed(os.environ, agent.passes), Path.home())
        return Found(agent, found, agent.tested if isinstance(agent, KnownAgent) else "")

    with ThreadPoolExecutor(max_workers=8) as pool:
        return list(pool.map(look, agents))


def host_of(settings: Settings) -> Host:
    """Where runs live: in windows where there is tmux, unless that is not wanted."""
    if why_no_windows(settings.run.host):
        return HeadlessHost()
    return TmuxHost(os.environ)


def refuse_unusable(agents: Iterable[Agent], host: str) -> None:
    """Says what is missing before anything starts, and not after an hour."""
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
                hint=f'install tmux, or set agents.{agent.name}.mode = "headless"',
                exit_code=Exit.MISSING,
            )


def why_no_windows(host: str) -> str:
    """Why runs have no windows here; empty: they have."""
    if host == "headless":
        return "run.host is headless"
    why = why_unusable()
    return f"tmux cannot be used: {why}" if why else ""
