"""What is missing before agents can be set to work: in the same words everywhere, and no longer once it is there."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from contextlib import aclosing
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.support.repositories import Repo

from toryo.app.readiness import Readiness, follow_readiness, readiness

_MODEL = {"TORYO_MODEL_PROVIDER": "openai", "TORYO_MODEL_MODEL": "m", "TORYO_MODEL_BASE_URL": "http://127.0.0.1:9/v1"}
_AGENT = {"TORYO_RUN_AGENT": "scripted"}


def _ready(repo: Repo, tmp_path: Path, more: Mapping[str, str], *programs: str) -> Readiness:
    """With these variables, and no programs but these and git."""
    environ = {name: value for name, value in repo.environ.items() if name != "TMUX"}
    alone = {**environ, "TORYO_RUN_HOST": "auto", **more, "PATH": _folder_of(tmp_path, *programs)}
    with patch.dict(os.environ, alone, clear=True):
        return readiness(repo.path)


def _folder_of(tmp_path: Path, *programs: str) -> str:
    place = tmp_path / "bin"
    place.mkdir(exist_ok=True)
    for name in ("git", "sh", *programs):
        found = shutil.which(name)
        if found and not (place / name).exists():
            (place / name).symlink_to(found)
    return str(place)


@pytest.mark.covers("G2", "G3")
def test_all_that_is_needed_is_there(repo: Repo, tmp_path: Path) -> None:
    found = _ready(repo, tmp_path, _MODEL | _AGENT, "tmux")
    assert found.lacks == ()
    assert found.model_name == "openai/m"


@pytest.mark.covers("G2")
def test_without_a_model_ai_settings_are_required_until_there_is_one(repo: Repo, tmp_path: Path) -> None:
    found = _ready(repo, tmp_path, _AGENT, "tmux")
    assert found.model is not None
    assert (found.model.says, found.tmux) == ("AI settings are required", None)
    assert found.model.why == "no model is configured, and none was found here"
    assert found.model.do == "toryo config init"
    assert _ready(repo, tmp_path, _MODEL | _AGENT, "tmux").is_ready


@pytest.mark.covers("G2")
def test_a_model_without_its_key_and_a_configuration_that_is_broken_say_why(repo: Repo, tmp_path: Path) -> None:
    keyless = _ready(repo, tmp_path, {"TORYO_MODEL_PROVIDER": "anthropic", **_AGENT}, "tmux").model
    assert keyless is not None
    assert "its key is NOT SET" in keyless.why
    repo.write(".toryo/config.toml", "[model\n")
    broken = _ready(repo, tmp_path, _AGENT, "tmux").model
    assert broken is not None
    assert broken.says == "AI settings are required"
    assert broken.why.startswith("the configuration cannot be used")


@pytest.mark.covers("G3")
def test_tmux_is_required_where_it_is_missing_or_cannot_start_a_server(repo: Repo, tmp_path: Path) -> None:
    missing = _ready(repo, tmp_path, _MODEL | _AGENT).tmux
    assert missing is not None
    assert (missing.says, missing.why) == ("tmux is required", "tmux cannot be used: not installed")
    program = tmp_path / "bin" / "tmux"
    program.write_text(
        '#!/bin/sh\ncase "$*" in -V) echo tmux 3.4;; *start-server*) echo no server >&2; exit 1;; esac\n'
    )
    program.chmod(0o755)
    broken = _ready(repo, tmp_path, _MODEL | _AGENT).tmux
    assert broken is not None
    assert broken.why == "tmux cannot be used: no server"
    program.unlink()
    assert _ready(repo, tmp_path, _MODEL | _AGENT, "tmux").is_ready


@pytest.mark.covers("G3")
def test_who_works_without_windows_on_purpose_needs_no_tmux(repo: Repo, tmp_path: Path) -> None:
    assert _ready(repo, tmp_path, _MODEL | _AGENT | {"TORYO_RUN_HOST": "headless"}).is_ready


def test_without_an_agent_one_is_required(repo: Repo, tmp_path: Path) -> None:
    found = _ready(repo, tmp_path, _MODEL, "tmux").agents
    assert found is not None
    assert found.says == "a coding agent is required"
    assert "none was found" in found.why


@pytest.mark.covers("G2")
async def test_whoever_waits_is_told_the_moment_it_works(repo: Repo, tmp_path: Path) -> None:
    with patch.dict(os.environ, {**repo.environ, **_AGENT, "PATH": _folder_of(tmp_path)}, clear=True):
        async with asyncio.timeout(30), aclosing(follow_readiness(repo.path)) as told:
            assert (await anext(told)).model is not None
            url, name = _MODEL["TORYO_MODEL_BASE_URL"], _MODEL["TORYO_MODEL_MODEL"]
            repo.write(".toryo/config.toml", f'[model]\nprovider = "openai"\nmodel = "{name}"\nbase_url = "{url}"\n')
            assert (await anext(told)).model is None
