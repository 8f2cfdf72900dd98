"""What is configured about agents: put together, and looked at as a whole."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from toryo.adapters.located import did_you_mean
from toryo.adapters.settingkeys import BUILT_IN, KNOWN_AGENTS, SHELL, Ends, Key
from toryo.adapters.settinglayers import Given, Problem
from toryo.domain.facts import fact
from toryo.domain.run import Mode


@fact
class AgentSettings:
    """What is configured about one agent; an agent with a `command` needs no code."""

    mode: Mode = Mode.HEADLESS
    program: str = ""
    """Its program's name or absolute path; empty: the agent's name."""
    model: str = ""
    """Empty: the one its program chooses."""
    flags: tuple[str, ...] = ()
    full_auto: bool = True
    """It works without asking; else its program's own settings decide."""
    command: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    """The command that goes on with an earlier conversation; empty: it cannot."""
    ready: str = ""
    """What its screen shows when a prompt can be typed; empty: the prompt goes in some other way."""
    ends: Ends = Ends.EXIT
    quota: str = ""
    """A regular expression that finds a usage limit in its output, with groups `epoch` or `seconds` for the reset."""
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    credential: str = ""
    """Agents with the same one share usage limits; empty: the agent's name."""
    scenario: Path | None = None
    """What the scripted agent does, absolute; None: nothing was configured."""


def agent_settings(name: str, given: Mapping[Key, Given]) -> AgentSettings:
    own = _fields(name, given)
    values = {field: value.value for field, value in own.items()}
    if "scenario" in own:
        values["scenario"] = own["scenario"].path()
    if "/" in str(values.get("program", "")):
        values["program"] = str(own["program"].path())
    env = {key[3]: str(value.value) for key, value in given.items() if key[:3] == ("agents", name, "env")}
    return AgentSettings(env=env, **values)  # type: ignore[arg-type]  # each kind has checked its value


def look_at_agents(given: Mapping[Key, Given], problems: list[Problem]) -> None:
    """What is wrong with agents that are defined by configuration alone, though each value may be right."""
    wrong = {problem.key[:2] for problem in problems}
    named: dict[str, Given] = {}
    for key, value in given.items():
        if key[0] == "agents" and key[1] not in BUILT_IN and key[:2] not in wrong:
            named.setdefault(key[1], value)
    for name, first in named.items():
        own = {field: value for field, value in _fields(name, given).items() if value.value}
        problems.extend(_problems(name, first, own))


def look_at_complexity(given: Mapping[Key, Given], problems: list[Problem]) -> None:
    """Whoever is named for a complexity has to be there, and to take a model where one is named."""
    known = [*BUILT_IN, *dict.fromkeys(key[1] for key in given if key[0] == "agents" and key[1] not in BUILT_IN)]
    for key, value in given.items():
        agent, slash, model = str(value.value or "").partition("/")
        if key[0] != "complexity" or not value.value:
            continue
        if agent not in known or agent == SHELL:
            problems.append(
                Problem(key, value.where, f"there is no coding agent '{agent}'{did_you_mean(agent, known)}")
            )
        elif slash and (not model or agent not in KNOWN_AGENTS):
            takes = "say which model after the '/'" if not model else f"only {', '.join(KNOWN_AGENTS)} take a model"
            problems.append(Problem(key, value.where, f"'{agent}/{model}': {takes}"))


def _problems(name: str, first: Given, own: Mapping[str, Given]) -> Iterator[Problem]:
    def problem(field: str, at: Given, message: str) -> Problem:
        return Problem(("agents", name, field), at.where, message)

    is_interactive = "mode" in own and own["mode"].value is Mode.INTERACTIVE
    if "command" not in own:
        yield problem("command", first, f"required key is missing{did_you_mean(name, BUILT_IN)}")
    elif "ready" in own and not is_interactive:
        yield problem("ready", own["ready"], 'is for agents with mode = "interactive" only')
    elif "ready" not in own and is_interactive:
        without = [part for part in ("command", "resume") if part in own and not _takes_prompt(own, part)]
        if without:
            message = f"required key is missing, since `{without[0]}` has no {{prompt}} and no {{prompt_file}}"
            yield problem("ready", own["mode"], f"{message}: the prompt is typed once the screen shows this text")


def _takes_prompt(own: Mapping[str, Given], part: str) -> bool:
    argv = " ".join(str(own[name].value) for name in (part, "flags") if name in own)
    return "{prompt}" in argv or "{prompt_file}" in argv


def _fields(name: str, given: Mapping[Key, Given]) -> dict[str, Given]:
    return {key[2]: value for key, value in given.items() if key[:2] == ("agents", name) and len(key) == 3}
