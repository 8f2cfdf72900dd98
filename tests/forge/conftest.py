"""A forge of the tests' own, and a clone of what it holds; skipped where there is no real `gh`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.forge.server import Forge, running
from tests.support.forge.tools import find_gh
from tests.support.repositories import Repo


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    if find_gh() is None:
        pytest.skip("gh 2.23 or newer is neither installed nor could script/forge-tools get it")
    with running(tmp_path / "forge") as forge:
        yield forge


@pytest.fixture
def cloned(forge: Forge, repo: Repo) -> Repo:
    """The person's clone: its remote is the forge, and they are logged in there."""
    gh = find_gh()
    assert gh is not None
    repo.environ.update(forge.environ(gh))
    repo.git("remote", "add", "origin", forge.url)
    repo.git("push", "-q", "origin", "main")
    return repo
