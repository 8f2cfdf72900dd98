"""Watching work in the terminal app for real: keys are sent to it in a terminal, its screen is read, an agent works."""

import os
import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.queueing import begun, detach, gated, let, row, until_idle
from tests.support.repositories import TORYO, Repo, shell, until
from tests.support.screens import Screen, screen

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@pytest.fixture
def windows(repo: Repo) -> Iterator[None]:
    """Runs have windows, on a server of their own in a folder with a short name."""
    folder = Path(tempfile.mkdtemp(prefix="tw-", dir="/tmp"))
    repo.environ |= {"TORYO_RUN_HOST": "tmux", "TMUX_TMPDIR": str(folder)}
    yield
    until(lambda: not any(folder.rglob("toryo*")) or not _answers(folder), 20)
    shutil.rmtree(folder)


def _answers(folder: Path) -> bool:
    return any(os.system(f"tmux -S {socket} ls >/dev/null 2>&1") == 0 for socket in folder.rglob("toryo*"))


def on_screen(seen: Screen, text: str) -> None:
    """Waits until it is there now; what has been there does not count."""
    until(lambda: any(text in line for line in seen.lines()))


@pytest.mark.covers("G1", "B11")
def test_an_agent_is_watched_live_without_colours_and_goes_on_when_the_app_is_killed(
    repo: Repo, tmp_path: Path
) -> None:
    says = "printf '\\033[31m日本語の行 1\\033[0m\\n'; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo row $i; done;"
    short = detach(repo, "T1", f"{says} {gated(tmp_path, 'T1')}; echo the end")
    begun(tmp_path, "T1")
    with screen(repo, argv=TORYO, environ={"NO_COLOR": "1"}, columns=80, rows=24) as seen:
        seen.shows("[Branches]")
        seen.press("F5")
        on_screen(seen, "▶ T1")
        seen.press("Enter")
        on_screen(seen, "row 3000")
        assert "working" in seen.lines()[1]
        seen.press("Home")
        on_screen(seen, "日本語の行 1")
        on_screen(seen, "End goes on following")
        coloured = re.findall(r"\x1b\[[0-9;]*m", "\n".join(seen.lines(styled=True)))
        assert not [code for code in coloured if re.search(r"[;\[](3[1-6]|4[1-6]|9[1-6]|10[1-6])[;m]", code)]
        seen.press("Escape")
        on_screen(seen, "▶ T1")
        os.kill(seen.pid, signal.SIGKILL)
        assert seen.code() == 137
    let(tmp_path, "T1")
    until_idle(repo)
    assert row(repo, short)["outcome"] == "COMPLETE"


@pytest.mark.covers("F5")
def test_what_waits_is_decided_in_two_terminals_and_both_see_it(repo: Repo) -> None:
    repo.run(shell("T1", "mkdir -p .github/workflows; echo on > .github/workflows/ci.yml"))
    with screen(repo, argv=TORYO, columns=80, rows=24) as one, screen(repo, argv=TORYO, columns=80, rows=24) as other:
        for seen in (one, other):
            on_screen(seen, "Inbox 1")
            seen.press("F3")
            on_screen(seen, "high protected  T1")
        one.press("a")
        on_screen(one, "Why is it right")
        one.send("理由がある")
        on_screen(one, "approved: T1")
        on_screen(one, "nothing waits for you")
        on_screen(other, "nothing waits for you")
        for seen in (one, other):
            seen.press("C-q")
            assert seen.code() == 0
    until_idle(repo)
    assert repo.tasks()["T1"]["state"] == "integrated"
    assert "理由がある" in repo.toryo("report").out


@pytest.mark.covers("G17")
@pytest.mark.usefixtures("windows")
def test_a_key_goes_to_the_window_of_a_run_and_one_comes_back_from_there(repo: Repo, tmp_path: Path) -> None:
    detach(repo, "T1", f"echo the agent speaks; {gated(tmp_path, 'T1')}")
    begun(tmp_path, "T1")
    with screen(repo, argv=TORYO, columns=100, rows=30) as seen:
        seen.shows("[Branches]")
        seen.press("F5")
        on_screen(seen, "▶ T1")
        seen.press("Enter")
        on_screen(seen, "the agent speaks")
        seen.press("o")
        on_screen(seen, "[toryo-")
        assert not any("1 Output" in line for line in seen.lines())
        seen.press("C-b", "d")
        on_screen(seen, "1 Output")
        let(tmp_path, "T1")
        on_screen(seen, "integrated")
        seen.press("C-q")
        assert seen.code() == 0
    until_idle(repo)
