"""`toryo agents`: which agents are here, and what each of them can do."""

from pathlib import Path
from typing import Any

import click

from toryo.app.configuration import settings_around
from toryo.app.crew import Found, agents_of, look_for_agents, unknown_agent
from toryo.domain.run import Mode
from toryo.frontends.cli.talking import here, json_option, room, show, show_json
from toryo.views.columns import columns
from toryo.views.rows import envelope


@click.command(epilog="Example: toryo agents, or toryo agents claude --json")
@click.argument("name", metavar="[NAME]", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """Show every agent a plan can name: installed or not, version, logged in or not, and what it can do.

    Looks at programs, files and variables only; no model is asked anything.
    """
    settings = settings_around(here())
    if name and name not in (known := agents_of(settings)):
        raise unknown_agent(name, known)
    found = look_for_agents(settings, name)
    if as_json:
        rows = [_row(each, settings.run.agent) for each in found]
        show_json(envelope("agents", {"agents": rows}))
        return
    heads = ("AGENT", "PROGRAM", "VERSION", "LOGGED IN", "MODE", "CAN")
    for line in columns([_cells(each, settings.run.agent) for each in found], heads, room()):
        show(line)
    if len(found) > 1:
        show("* does the tasks for which nobody is named (run.agent)")
    for each in found:
        if each.probe.advice:
            show(f"{each.agent.name}: {each.probe.says}; {each.probe.advice}")


def _cells(found: Found, default: str) -> tuple[str, ...]:
    agent, probe = found.agent, found.probe
    mark = " *" if agent.name == default else ""
    program = "-" if probe.program is None else _short(probe.path) if probe.path else "not installed"
    version = probe.version or "-"
    if found.tested and probe.version and probe.version != found.tested:
        version += f" (tested with {found.tested})"
    login = "-" if probe.program is None or probe.path is None else str(probe.login)
    return f"{agent.name}{mark}", program, version, login, str(agent.mode), ", ".join(_abilities(found)) or "-"


def _short(path: str) -> str:
    home = str(Path.home())
    return f"~{path.removeprefix(home)}" if path.startswith(f"{home}/") else path


def _abilities(found: Found) -> list[str]:
    able = found.agent.abilities
    words = {
        "interactive": Mode.INTERACTIVE in able.modes,
        "resume": able.resumes,
        "tokens": able.counts_tokens,
        "cost": able.counts_money,
    }
    return [word for word, is_able in words.items() if is_able]


def _row(found: Found, default: str) -> dict[str, Any]:
    agent, probe, able = found.agent, found.probe, found.agent.abilities
    return {
        "name": agent.name,
        "default": agent.name == default,
        "program": probe.program,
        "path": probe.path,
        "installed": probe.program is None or probe.path is not None,
        "version": probe.version or None,
        "tested_version": found.tested or None,
        "logged_in": None if probe.login == "unknown" else probe.login == "yes",
        "says": probe.says,
        "advice": probe.advice,
        "mode": agent.mode.value,
        "modes": [mode.value for mode in able.modes],
        "credential": agent.credential,
        "resumes": able.resumes,
        "counts_tokens": able.counts_tokens,
        "counts_money": able.counts_money,
        "environment": list(agent.passes),
    }
