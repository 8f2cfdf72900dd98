"""The real Claude Code and Codex as models: they answer, and can do nothing else."""

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.agent_programs import AgentHome, make_agent_home
from tests.support.crews import NASTY, PROGRAMS, needs_programs
from tests.support.model_server import ModelServer
from tests.support.planning_server import Answer, Endpoint, Refuse, model_endpoint
from tests.support.repositories import until

from toryo.adapters.models.known import model_of_program
from toryo.adapters.settingagents import AgentSettings
from toryo.adapters.settingmodels import ModelSettings
from toryo.domain.calls import Call, CallFailed, Message, Speaker, Stop
from toryo.domain.report import Trouble
from toryo.ports import Model

pytestmark = [needs_programs, pytest.mark.timeout(300)]
BOTH = ("claude-code", "codex")
SYSTEM = "You plan, and plan only. 日本語 " + NASTY
CALL = Call(SYSTEM, (Message(Speaker.USER, "Plan this.\n" + NASTY),))


@pytest.fixture
def environ(home: AgentHome) -> dict[str, str]:
    return {**home.environ, "CLAUDECODE": "1", "MARK_OF_THIS_TEST": "no", "OPENAI_MARK": str(home.path)}


@contextmanager
def _prepared(tmp_path: Path, *replies: Answer | Refuse | str) -> Iterator[tuple[Endpoint, dict[str, str]]]:
    """An endpoint with prepared replies, and the environment of somebody logged in to it."""
    assert PROGRAMS
    with model_endpoint(replies) as endpoint:
        home = make_agent_home(tmp_path / "home-of-model", endpoint.url, PROGRAMS, os.environ)
        yield endpoint, dict(home.environ)


def _model(provider: str, environ: dict[str, str], **more: float) -> Model:
    return model_of_program(ModelSettings(provider, "scripted", **more), AgentSettings(), (), environ)  # type: ignore[arg-type]


@pytest.mark.covers("P23")
@pytest.mark.parametrize("provider", BOTH)
async def test_a_program_answers_without_tools(provider: str, tmp_path: Path) -> None:
    heard: list[str] = []
    text = '{"tasks": []}\n日本語 "quoted" \\ end'
    with _prepared(tmp_path, text) as (endpoint, environ):
        reply = await _model(provider, environ).reply(CALL, heard.append)
        asked = endpoint.requests
    assert reply.text == "".join(heard) == text
    assert reply.stop is Stop.DONE
    assert reply.usage.input_tokens > 10
    assert reply.usage.output_tokens > 0
    assert not reply.is_estimate
    assert len(asked) == 1
    question = asked[0].question
    assert question
    assert {tool.name for tool in question.tools} <= {"request_user_input"}  # which nobody can answer in `exec`
    assert any(SYSTEM.strip() in said for said in endpoint.conversations()[0])
    assert any(CALL.messages[0].text.strip() in said for said in endpoint.conversations()[0])


@pytest.mark.covers("P23")
@pytest.mark.parametrize("provider", BOTH)
async def test_what_a_model_wants_to_do_is_not_done(
    provider: str, environ: dict[str, str], tmp_path: Path, model: ModelServer
) -> None:
    victim = tmp_path / "victim.txt"
    script = f"MODEL: run touch {victim}\nMODEL: write {victim} hello\nMODEL: say Done.\n"
    call = Call("", (Message(Speaker.USER, script),))
    try:
        await _model(provider, environ).reply(call, lambda _: None)
    except CallFailed as failed:
        assert failed.trouble in (Trouble.OTHER, Trouble.API)
    assert not victim.exists()
    assert model.requests()


@pytest.mark.parametrize("provider", BOTH)
async def test_nothing_of_the_project_is_read_or_written(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("CLAUDE.md", "AGENTS.md"):
        (project / name).write_text("THE PROJECT SAYS SO")
    monkeypatch.chdir(project)
    with _prepared(tmp_path, "fine") as (endpoint, environ):
        home = Path(environ["HOME"])
        (home / ".claude").mkdir(exist_ok=True)
        (home / ".claude" / "CLAUDE.md").write_text("THE PERSON SAYS SO")
        await _model(provider, environ).reply(CALL, lambda _: None)
        said = "\n".join(endpoint.conversations()[0])
    assert "SAYS SO" not in said
    assert sorted(path.name for path in project.iterdir()) == ["AGENTS.md", "CLAUDE.md"]
    assert not list(home.glob(".codex/sessions/**/*.jsonl"))
    assert not list(home.glob(".claude/projects/**/*.jsonl"))


@pytest.mark.parametrize("provider", BOTH)
async def test_servers_with_tools_are_not_started(provider: str, tmp_path: Path) -> None:
    started = tmp_path / "started"
    with _prepared(tmp_path, "fine") as (_, environ):
        home = Path(environ["HOME"])
        server = {"command": "/bin/sh", "args": ["-c", f"touch {started}; cat"]}
        (home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True, "mcpServers": {"one": server}}))
        with (home / ".codex" / "config.toml").open("a") as file:
            for name in ("one", '"two.dotted"'):
                file.write(f"\n[mcp_servers.{name}]\ncommand = '/bin/sh'\nargs = ['-c', 'touch {started}; cat']\n")
        assert (await _model(provider, environ).reply(CALL, lambda _: None)).text == "fine"
    assert not started.exists()


@pytest.mark.parametrize("provider", BOTH)
async def test_a_long_prompt_and_system_text_arrive_whole(provider: str, tmp_path: Path) -> None:
    line = "x" * 99 + "\n"
    call = Call("S" + line * 2000 + "E", (Message(Speaker.USER, "P" + line * 3000 + "E"),))
    with _prepared(tmp_path, "fine") as (endpoint, environ):
        await _model(provider, environ).reply(call, lambda _: None)
        said = endpoint.conversations()[0]
    assert any(call.system in text for text in said)
    assert any(call.messages[0].text in text for text in said)


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize(
    ("refusal", "trouble"),
    [(Refuse(401), Trouble.LOGIN), (Refuse(400, "no such thing"), Trouble.OTHER), (Refuse(429), Trouble.QUOTA)],
    ids=["401", "400", "429"],
)
async def test_a_refusal_says_whose_turn_it_is(
    provider: str, refusal: Refuse, trouble: Trouble, tmp_path: Path
) -> None:
    with _prepared(tmp_path, *[refusal] * 50) as (_, environ), pytest.raises(CallFailed) as failed:
        await _model(provider, environ).reply(CALL, lambda _: None)
    assert failed.value.trouble is trouble


@pytest.mark.parametrize("provider", BOTH)
async def test_a_program_that_is_not_there_is_told(provider: str, tmp_path: Path) -> None:
    with pytest.raises(CallFailed) as failed:
        await _model(provider, {"PATH": str(tmp_path), "HOME": str(tmp_path)}).reply(CALL, lambda _: None)
    assert failed.value.trouble is Trouble.PROGRAM


@pytest.mark.parametrize("provider", BOTH)
@pytest.mark.parametrize("ending", ["cancelled", "too slow"])
async def test_nothing_is_left_running(
    provider: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "ours"))
    with _prepared(tmp_path, Answer("late", delay=100)) as (endpoint, environ):
        home = environ["HOME"]
        patience = 1.0 if ending == "too slow" else 120.0
        asking = asyncio.create_task(_model(provider, environ, timeout=patience).reply(CALL, lambda _: None))
        await asyncio.to_thread(until, lambda: endpoint.requests or asking.done(), 60)
        assert _processes_of(home)
        assert list((tmp_path / "ours").glob("toryo-model-*"))
        if ending == "cancelled":
            asking.cancel()
        begun = time.monotonic()
        with pytest.raises((asyncio.CancelledError, CallFailed)):
            await asking
        assert time.monotonic() - begun < 15
        assert _processes_of(home) == []
    assert not list((tmp_path / "ours").iterdir())


@pytest.mark.parametrize("provider", BOTH)
async def test_who_stops_listening_leaves_nothing_running(provider: str, tmp_path: Path) -> None:
    def refuse(piece: str) -> None:
        raise RuntimeError(piece)

    with _prepared(tmp_path, "some words that nobody wants") as (_, environ):
        with pytest.raises(RuntimeError):
            await _model(provider, environ).reply(CALL, refuse)
        assert _processes_of(environ["HOME"]) == []


def _processes_of(home: str) -> list[str]:
    """Whoever has this home in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return [command for command in found if command]
