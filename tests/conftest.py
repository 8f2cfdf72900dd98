"""What every test gets: a place of its own, and a look at what was left running."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from tests.support.repositories import Repo, background_conductors, marked_processes

settings.register_profile("toryo", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("toryo")

_LEAVING_TIME = 5.0
"""Seconds for a conductor in the background to end that has just let go of its last session."""
_KEPT = ("PATH", "LANG", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A clean environment: no configuration of the person who runs the tests, no git identity."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C.UTF-8",
        "TORYO_RUN_HOST": "headless",
    }


@pytest.fixture
def repo(tmp_path: Path, environ: dict[str, str]) -> Iterator[Repo]:
    repo = Repo.make(tmp_path / "repo", environ)
    yield repo
    conductors = _still_conducting(repo)
    repo.end()
    left = _end_everything_below(tmp_path)
    assert not left, f"left running: {left}"
    assert not conductors, "left conducting in the background"


def _still_conducting(repo: Repo) -> list[int]:
    """Who has nothing more to do is let go in peace."""
    give_up = time.monotonic() + _LEAVING_TIME
    while (left := background_conductors(repo.path)) and time.monotonic() < give_up:
        time.sleep(0.02)
    return list(left)


def _end_everything_below(folder: Path) -> list[str]:
    """Processes whose record is below the folder; ended, so that a failing test leaves nothing behind."""
    left = marked_processes(folder)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return list(left.values())
