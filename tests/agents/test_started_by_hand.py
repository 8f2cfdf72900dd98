"""The real programs, started by hand on a branch: their own screens, in windows of their own."""

from pathlib import Path

import psutil
import pytest
from tests.support.apps import surroundings
from tests.support.crews import needs_programs, needs_tmux, shown_in, tmux
from tests.support.repositories import Repo, until

from toryo.app import branches

pytestmark = [needs_programs, needs_tmux]


@pytest.mark.covers("G37")
@pytest.mark.parametrize("agent", [pytest.param(name, marks=pytest.mark.timeout(300)) for name in ("claude", "codex")])
def test_a_person_gets_the_agents_own_screen(repo: Repo, agent: str) -> None:
    with surroundings(repo):
        branches.create(repo.path, "feature")
        try:
            started = branches.start_agent(repo.path, "feature", agent)
            assert started.worktree == repo.path / ".worktrees" / "feature"
            pane = tmux(repo, "list-panes", "-a", "-F", "#{pane_id}").strip()
            until(lambda: "trust" in shown_in(repo, pane).lower(), 120)
            assert [one.by_hand for one in branches.look(repo.path) if one.name == "feature"] == [agent]
        finally:
            tmux(repo, "kill-server", check=False)
    until(lambda: not _below(repo.path.parent), 20)


def _below(folder: Path) -> list[str]:
    """Programs that were started from below the folder: what an agent leaves running, whoever its parent is."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and words and words[0].startswith(str(folder)):
            found.append(" ".join(words))
    return found
