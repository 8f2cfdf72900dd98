"""A crew of real agents that talk to the scripted model only, in a home of their own."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.agent_programs import AgentHome, make_agent_home
from tests.support.crews import PROGRAMS
from tests.support.model_server import ModelServer


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, model: ModelServer) -> AgentHome:
    assert PROGRAMS
    base = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C.UTF-8"}
    return make_agent_home(tmp_path / "agent-home", model.url, PROGRAMS, base)


@pytest.fixture
def environ(environ: dict[str, str], tmux_folder: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """What the repository's owner has in their shell."""
    own = {"TORYO_RUN_HOST": "headless", "TMUX_TMPDIR": str(tmux_folder)}
    if PROGRAMS is None:
        return {**environ, **own}
    home: AgentHome = request.getfixturevalue("home")
    return {**home.environ, **own}


@pytest.fixture
def tmux_folder() -> Iterator[Path]:
    """Where tmux puts its sockets, whose names may not be long; no server may be left there."""
    folder = Path(tempfile.mkdtemp(prefix="tt-", dir="/tmp"))
    yield folder
    left = _servers_left(folder)
    shutil.rmtree(folder)
    assert not left, f"tmux servers left running: {left}"


def _servers_left(folder: Path) -> list[str]:
    give_up = time.monotonic() + 20
    sockets = [path for path in folder.rglob("*") if path.is_socket()]
    while (left := [path for path in sockets if _asked(path, "list-sessions")]) and time.monotonic() < give_up:
        time.sleep(0.05)
    for path in left:
        _asked(path, "kill-server")
    return [path.name for path in left]


def _asked(socket: Path, command: str) -> bool:
    asked = subprocess.run(["tmux", "-S", str(socket), command], capture_output=True, check=False)
    return asked.returncode == 0
