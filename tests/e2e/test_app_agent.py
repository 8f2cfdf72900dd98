"""Agent mode at a real terminal: keys are sent, the screen is read; the app is killed, and the work goes on."""

import os
import shutil
import signal
from collections.abc import Iterator

import pytest
from tests.support.instructions import planner, question, questions, usual, work, writes
from tests.support.repositories import TORYO, Repo, background_conductors, until
from tests.support.screens import Screen, screen

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


@pytest.fixture
def repo(repo: Repo) -> Iterator[Repo]:
    """No conductor in the background outlives its test."""
    yield repo
    (repo.path.parent / "go").touch()
    until(lambda: not background_conductors(repo.path))


def has(seen: Screen, *texts: str) -> bool:
    shown = "\n".join(seen.lines())
    return all(text in shown for text in texts)


def shows(seen: Screen, *texts: str) -> None:
    try:
        until(lambda: has(seen, *texts))
    except AssertionError:
        raise AssertionError(f"never shown: {texts}, but:\n" + "\n".join(seen.lines())) from None


@pytest.mark.covers("G1", "G11", "G32")
def test_the_app_is_killed_in_mid_work_and_the_next_one_shows_how_it_went_on(repo: Repo) -> None:
    place = repo.path.parent
    waits = {"run": f"touch {place}/begun; until test -e {place}/go; do sleep 0.05; done"}
    work(repo, {"A": [[waits, writes("A.txt")]]})
    asked = questions(question("どの形式ですか?", "JSON", "YAML"), title="JSON 出力")
    app = (*TORYO,)
    with planner(repo, [asked, *usual("A")[1:]]):
        with screen(repo, argv=app, columns=80, rows=24) as seen:
            shows(seen, "[Branches]")
            seen.press("Tab")
            shows(seen, "what do you want?")
            seen.paste("report に JSON を追加して\nand document it")
            shows(seen, "report に JSON を追加して", "and document it", "what do you want?")
            seen.press("Enter")
            shows(seen, "● a) JSON  (default)", "Enter takes what is marked")
            seen.press("Enter")
            shows(seen, "Enter or y approves")
            seen.press("y")
            shows(seen, "A: scripted takes it", "1 agent at work")
            until((place / "begun").exists)
            os.kill(seen.pid, signal.SIGKILL)
            assert seen.code() != 0
        (place / "go").touch()
        with screen(repo, argv=app, columns=80, rows=24) as seen:
            shows(seen, "[Branches]")
            seen.press("Tab")
            shows(seen, "A: merged as", "COMPLETE", "m merge")
            seen.press("Up")
            shows(seen, "t Report")
            seen.press("t")
            shows(seen, "JSON 出力", "esc Back")
            seen.press("Escape")
            shows(seen, "COMPLETE", "what next?")
            seen.press("C-q")
            assert seen.code() == 0
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"
