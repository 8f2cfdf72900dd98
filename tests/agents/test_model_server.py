"""The real agent programs, driven without Toryo, against the scripted model server."""

import json
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.agent_programs import (
    AGENTS,
    AgentHome,
    conversation_in,
    headless_command,
)
from tests.support.crews import needs_programs
from tests.support.model_server import ModelServer
from tests.support.repositories import Repo

_NASTY = "-- \"two\" 'one' $HOME ${X} `date` \\ \\n é 日本語 漢字 🦊 %s {a} <b> #c\n"


@pytest.fixture
def tree(tmp_path: Path, repo: Repo) -> Path:
    repo.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "tree"))
    return tmp_path / "tree"


@needs_programs
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_edits_and_resumes_and_hears_every_byte(
    agent: str, home: AgentHome, tree: Path, model: ModelServer
) -> None:
    hard = "--help -p\n" + _NASTY * (100_000 // len(_NASTY.encode())) + "MODEL: write one.txt un\\n\n\n  end  \n"
    first = _turn(headless_command(agent), home, tree, hard)
    assert (tree / "one.txt").read_text() == "un\n"
    assert model.prompts()[hard] == 1

    again = headless_command(agent, resume=conversation_in(first))
    second = "Once more.\nMODEL: run cp one.txt two.txt\nMODEL: say copied\n"
    assert "copied" in _turn(again, home, tree, second)
    assert (tree / "two.txt").read_text() == "un\n"
    assert model.prompts()[hard] == model.prompts()[second] == 1
    last = model.requests()[-1].user_texts
    assert last.index(hard) < last.index(second)


def _turn(command: list[str], home: AgentHome, tree: Path, prompt: str) -> str:
    done = subprocess.run(
        command, cwd=tree, env=dict(home.environ), input=prompt.encode(), capture_output=True, timeout=60, check=False
    )
    output = done.stdout.decode()
    assert done.returncode == 0, (output, done.stderr.decode())
    return output


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/messages", b"{nonsense"),
        ("/v1/messages", b'{"model": "m"}'),
        ("/v1/responses", b'{"model": "m", "input": 3}'),
        ("/v1/chat/completions", b'{"messages": [{}]}'),
        ("/v1beta/models/m:generateContent", b'{"contents": "?"}'),
        ("/v1beta/models/m:streamGenerateContent", b""),
    ],
)
def test_a_bad_request_is_refused(model: ModelServer, path: str, body: bytes) -> None:
    assert _post(model, path, body)[0] == 400


def test_a_line_that_means_nothing_is_refused(model: ModelServer) -> None:
    status, answer = _post(model, "/v1/chat/completions", _chat("MODEL: dance"))
    assert status == 400
    assert "MODEL: dance" in str(answer)


def test_fifty_conversations_at_once_are_kept_apart(model: ModelServer) -> None:
    def talk(number: int) -> list[int]:
        body = _chat(f"Task {number}.\nMODEL: think 0.2\nMODEL: http 500 times=1\nMODEL: say ok")
        return [_post(model, "/v1/chat/completions", body)[0] for _ in range(2)]

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(talk, range(50))) == [[500, 200]] * 50


def test_a_client_that_hangs_up_ends_a_long_thought(model: ModelServer) -> None:
    with pytest.raises(TimeoutError):
        _post(model, "/v1/chat/completions", _chat("MODEL: think 3600"), timeout=0.2)
    assert model.wait_until_idle()


def _chat(text: str) -> bytes:
    shell = {"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}}
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": text}],
        "tools": [{"type": "function", "function": shell}],
    }
    return json.dumps(body).encode()


def _post(model: ModelServer, path: str, body: bytes, timeout: float = 20) -> tuple[int, object]:
    request = urllib.request.Request(model.url + path, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)
