"""What is found of an agent on a machine, without asking any model."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import marked_processes

from toryo.adapters.agents.configured import ConfiguredAgent
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.probing import Login, Probe, probe
from toryo.adapters.agents.scripted import ScriptedAgent
from toryo.adapters.agents.shell import ShellAgent
from toryo.adapters.settings import AgentSettings, load_settings
from toryo.app.crew import agents_of

NOTHING = load_settings(None, {"XDG_CONFIG_HOME": "/nonexistent"}, {})
PROGRAMS = sorted(name for name, agent in agents_of(NOTHING).items() if isinstance(agent, KnownAgent))
every_program = pytest.mark.parametrize("name", PROGRAMS)


class Machine:
    """A path with programs on it, and a person's home."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.home = folder / "bin", folder / "home"
        self.programs.mkdir()
        self.home.mkdir()

    def install(self, name: str, script: str = "echo 1.2.3") -> Path:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def write(self, name: str, text: str = '{"key": "value"}') -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def look(self, name: str, patience: float = 20.0, options: Mapping[str, Any] | None = None, **env: str) -> Probe:
        agent = agents_of(replace(NOTHING, agents={name: AgentSettings(**(options or {}))}))[name]
        return probe(agent, {"PATH": f"{self.programs}:{os.defpath}", **env}, self.home, patience)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# ── the program ──────────────────────────────────────────────────────────────


@every_program
def test_a_program_that_is_there(machine: Machine, name: str) -> None:
    path = machine.install(name, "echo 'the agent 2.10.0-beta.1 (build 7)'")
    found = machine.look(name)
    assert (found.program, found.path, found.version) == (name, str(path), "2.10.0-beta.1")


@every_program
def test_a_program_that_is_missing(machine: Machine, name: str) -> None:
    found = machine.look(name)
    assert (found.program, found.path, found.version) == (name, None, "")
    assert (found.login, found.is_usable) == (Login.UNKNOWN, False)
    assert (found.says, found.advice[:11]) == ("not installed", "npm install")


def test_only_the_path_that_is_given_counts(machine: Machine) -> None:
    agent = ConfiguredAgent("own", AgentSettings(command=("sh",)))
    assert probe(agent, {"PATH": os.defpath}, machine.home).path
    assert probe(agent, {"PATH": "/nowhere"}, machine.home).path is None


def test_a_program_somewhere_else(machine: Machine, tmp_path: Path) -> None:
    path = machine.install("mine")
    assert machine.look("claude", options={"program": "mine"}).path == str(path)
    assert machine.look("claude", options={"program": str(path)}).version == "1.2.3"
    assert machine.look("claude", options={"program": str(tmp_path / "no")}).path is None


def test_what_cannot_be_run_is_not_there(machine: Machine) -> None:
    machine.install("claude").chmod(0o644)
    assert machine.look("claude").path is None


@pytest.mark.parametrize("script", ["exit 1", "echo nothing", "echo 1.2.3 >&2", "kill -9 $$", "printf '\\377'", ""])
def test_a_program_that_does_not_tell_its_version(machine: Machine, script: str) -> None:
    machine.install("claude", script)
    found = machine.look("claude")
    assert (found.path is not None, found.version) == (True, "")


def test_a_program_that_is_no_program(machine: Machine) -> None:
    machine.install("claude").write_bytes(b"\x7fELF nonsense")
    assert machine.look("claude").version == ""


def test_a_program_is_asked_without_a_terminal_and_with_the_environment_it_would_get(machine: Machine) -> None:
    machine.install("claude", 'cat; echo "$1 $SECRET 7.0"')
    assert machine.look("claude").version == "7.0"
    machine.install("claude", 'test -z "$HOME" && echo 8.0')
    assert machine.look("claude").version == "8.0"


@pytest.mark.parametrize("script", ["exec sleep 60", "sleep 60", "echo 1.2.3; sleep 60", "sleep 60 & echo 1.2.3"])
def test_a_program_that_hangs_is_not_waited_for(machine: Machine, script: str, tmp_path: Path) -> None:
    machine.install("claude", script)
    began = time.monotonic()
    found = machine.look("claude", patience=0.5, TORYO_RECORD=str(tmp_path / "mark"))
    assert time.monotonic() - began < 10
    assert (found.path is not None, found.version) == (True, "")
    while marked_processes(tmp_path):
        assert time.monotonic() - began < 10, "nor left behind"


# ── logins ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("claude", "ANTHROPIC_API_KEY"),
        ("claude", "ANTHROPIC_AUTH_TOKEN"),
        ("claude", "CLAUDE_CODE_OAUTH_TOKEN"),
        ("claude", "CLAUDE_CODE_USE_BEDROCK"),
        ("codex", "CODEX_API_KEY"),
        ("gemini", "GEMINI_API_KEY"),
        ("gemini", "GOOGLE_GENAI_USE_VERTEXAI"),
        ("opencode", "OPENCODE_API_KEY"),
    ],
)
def test_logged_in_by_a_variable(machine: Machine, name: str, variable: str) -> None:
    machine.install(name)
    found = machine.look(name, **{variable: "x"})
    assert (found.login, found.says, found.is_usable) == (Login.YES, f"{variable} is set", True)
    assert machine.look(name, **{variable: ""}).login is not Login.YES


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("claude", ".claude/.credentials.json"),
        ("codex", ".codex/auth.json"),
        ("gemini", ".gemini/oauth_creds.json"),
        ("opencode", ".local/share/opencode/auth.json"),
        ("opencode", ".config/opencode/opencode.json"),
        ("opencode", ".config/opencode/opencode.jsonc"),
    ],
)
def test_logged_in_by_a_file(machine: Machine, name: str, file: str) -> None:
    machine.install(name)
    machine.write(file)
    found = machine.look(name)
    assert (found.login, found.says) == (Login.YES, f"{Path(file).name} is there")
    machine.write(file, "{}")
    assert machine.look(name).login is not Login.YES, "it is empty"


@pytest.mark.parametrize(
    ("name", "variable", "file"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", ".credentials.json"),
        ("codex", "CODEX_HOME", "auth.json"),
        ("opencode", "XDG_DATA_HOME", "opencode/auth.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ],
)
def test_logged_in_by_a_file_somewhere_else(machine: Machine, name: str, variable: str, file: str) -> None:
    machine.install(name)
    machine.write(f"elsewhere/{file}")
    assert machine.look(name).login is not Login.YES
    assert machine.look(name, **{variable: str(machine.home / "elsewhere")}).login is Login.YES


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("claude", ".claude.json", '{"oauthAccount": {}}'),
        ("claude", ".claude/settings.json", '{"apiKeyHelper": "x"}'),
        ("codex", ".codex/config.toml", 'model_provider = "own"'),
    ],
)
def test_logged_in_by_what_is_configured(machine: Machine, name: str, file: str, text: str) -> None:
    machine.install(name)
    machine.write(file, text)
    assert machine.look(name).login is Login.YES


@pytest.mark.parametrize(
    ("name", "login", "advice"),
    [
        ("claude", Login.NO, "run 'claude' once and log in, or set ANTHROPIC_API_KEY"),
        ("codex", Login.NO, "run 'codex login'"),
        ("gemini", Login.NO, "run 'gemini' once and log in, or set GEMINI_API_KEY"),
        ("opencode", Login.UNKNOWN, "run 'opencode auth login'"),
    ],
)
def test_not_logged_in(machine: Machine, name: str, login: Login, advice: str) -> None:
    machine.install(name)
    found = machine.look(name)
    assert (found.login, found.advice) == (login, advice)
    assert found.is_usable == (login is Login.UNKNOWN), "what is not known is tried"


@every_program
@pytest.mark.parametrize("nonsense", ["", "{", "[]", '"x"', "null", '{"security": 3}', "\x00"])
def test_nonsense_in_a_persons_files_is_no_login_and_no_error(machine: Machine, name: str, nonsense: str) -> None:
    machine.install(name)
    for file in (".claude.json", ".claude/settings.json", ".gemini/settings.json", ".codex/config.toml"):
        machine.write(file, nonsense)
    assert machine.look(name).login is not Login.YES
    assert machine.look(name, ANTHROPIC_API_KEY="x", GEMINI_API_KEY="x", CODEX_API_KEY="x").path is not None


def test_who_has_not_seen_the_first_screen_is_told(machine: Machine) -> None:
    machine.install("claude")
    machine.install("gemini")
    assert "run 'claude' once by hand" in machine.look("claude", ANTHROPIC_API_KEY="x").advice
    assert "run 'gemini' once by hand" in machine.look("gemini", GEMINI_API_KEY="x").advice
    machine.write(".claude.json", json.dumps({"hasCompletedOnboarding": True}))
    machine.write(".gemini/settings.json", json.dumps({"security": {"auth": {"selectedType": "x"}}}))
    assert machine.look("claude", ANTHROPIC_API_KEY="x").advice == ""
    assert machine.look("gemini", GEMINI_API_KEY="x").advice == ""


# ── agents that need less ────────────────────────────────────────────────────


@pytest.mark.parametrize("agent", [ShellAgent(), ScriptedAgent(None)])
def test_whoever_needs_no_program_is_always_usable(machine: Machine, agent: Any) -> None:
    found = probe(agent, {}, machine.home)
    assert (found.program, found.login, found.is_usable) == (None, Login.YES, True)


def test_of_a_configured_agent_only_its_program_is_known(machine: Machine) -> None:
    agent = ConfiguredAgent("own", AgentSettings(command=("own", "{prompt}")))
    environ = {"PATH": str(machine.programs)}
    assert not probe(agent, environ, machine.home).is_usable
    machine.install("own", "echo v3.1")
    found = probe(agent, environ, machine.home)
    assert (found.version, found.login, found.advice, found.is_usable) == ("", Login.UNKNOWN, "", True), (
        "nothing is run"
    )
