"""What every test gets: a place of its own, and a look at what was left running."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from tests.support.repositories import Repo, background_conductors, marked_processes

settings.register_profile("toryo", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("toryo")

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
    conductors = background_conductors(repo.path)
    repo.end()
    left = _end_everything_below(tmp_path)
    assert not left, f"left running: {left}"
    assert not conductors, "left conducting in the background"


def _end_everything_below(folder: Path) -> list[str]:
    """Processes whose record is below the folder; ended, so that a failing test leaves nothing behind."""
    left = marked_processes(folder)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return list(left.values())
