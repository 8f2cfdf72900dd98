"""Branch mode for real: the app in a terminal, keys sent, the screen read."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.repositories import TORYO, Repo, background_conductors, shell, until
from tests.support.screens import Screen, screen

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed here")

_TALKER = """\
#!{python}
print("ready>", flush=True)
while (line := input()) != "bye":
    print("heard:", line, flush=True)
"""


def shown(terminal: Screen) -> str:
    return "\n".join(terminal.lines())


def sees(terminal: Screen, text: str) -> None:
    """Waits until it is on the screen now."""
    try:
        until(lambda: re.search(text, shown(terminal)), 30)
    except AssertionError:
        raise AssertionError(f"never seen: {text!r}, but:\n{shown(terminal)}") from None


@pytest.mark.covers("G1", "G37")
def test_a_branch_from_its_making_to_its_end(repo: Repo) -> None:
    repo.environ["SHELL"] = "/bin/sh"
    with screen(repo, argv=TORYO, columns=80, rows=24) as terminal:
        sees(terminal, r"\* main")
        terminal.type("n")
        sees(terminal, "New branch")
        terminal.send("topic")
        sees(terminal, "Details · topic")
        assert "AI summary · topic" in shown(terminal)
        # A shell in its worktree: the app is away meanwhile, and back with `exit`.
        terminal.type("w")
        terminal.shows("exit comes back to Toryo")
        terminal.send("echo new > file; git add file; git -c user.name=T -c user.email=t@t commit -qm Work; exit")
        sees(terminal, r"\+ topic +↑1")
        sees(terminal, "1 commit, 1 file, .1 -0|Work")
        terminal.type("v")
        sees(terminal, r"\+new")
        terminal.press("Escape")
        sees(terminal, r"\[Branches\]")  # else the two are one key: Alt-D
        terminal.type("d")
        sees(terminal, "nowhere else")
        terminal.press("Enter")
        until(lambda: "nowhere else" not in shown(terminal))
        terminal.type("m")
        sees(terminal, "Merge topic into main")
        terminal.press("Enter")
        sees(terminal, "takes it back")
        until(lambda: "file" in repo.files_on("main"))
        terminal.type("d")
        sees(terminal, "Delete topic")
        terminal.type("y")
        until(lambda: not repo.git("branch", "--list", "topic"))
        sees(terminal, "Branches  1 ")
        terminal.press("C-q")
        assert terminal.code() == 0


@pytest.fixture
def talker(repo: Repo) -> Iterator[Path]:
    """An agent with a screen of its own, and a place for tmux's socket."""
    folder = Path(tempfile.mkdtemp(prefix="t"))  # sockets have a limit
    program = folder / "talker"
    program.write_text(_TALKER.format(python=sys.executable))
    program.chmod(0o755)
    repo.write(
        ".toryo/config.toml", f"[agents.talker]\ncommand = ['{program}']\nmode = 'interactive'\nready = 'ready>'\n"
    )
    repo.commit("configuration")
    repo.environ["TMUX_TMPDIR"] = str(folder)
    yield folder
    subprocess.run(["tmux", "-L", "toryo", "kill-server"], env=repo.environ, capture_output=True, check=False)
    shutil.rmtree(folder)


@pytest.mark.covers("G3", "G37")
def test_an_agent_is_started_by_hand_and_its_window_is_opened(repo: Repo, talker: Path) -> None:
    repo.git("branch", "topic")
    with screen(repo, argv=TORYO, columns=120, rows=30) as terminal:
        sees(terminal, " topic ")
        terminal.press("Down")
        sees(terminal, "Details · topic")
        terminal.type("a")
        sees(terminal, "Which agent on topic")
        options = [line for line in terminal.lines() if re.search(r"\d  talker", line)]
        terminal.type(re.search(r"(\d)  talker", options[0])[1])  # type: ignore[index]
        sees(terminal, "What talker is told first")
        terminal.send("good morning")
        sees(terminal, "▶. topic .*started by hand")
        terminal.type("o")
        sees(terminal, "heard: good morning")
        terminal.send("bye")
        sees(terminal, r"\[Branches\]")
        sees(terminal, r" \+ topic ")
        terminal.press("C-q")
        assert terminal.code() == 0


@pytest.mark.covers("G37")
def test_work_goes_on_whatever_becomes_of_the_app(repo: Repo) -> None:
    go = repo.path.parent / "go"
    plan = repo.plan(shell("A", f"echo begun; until [ -e {go} ]; do sleep 0.05; done; touch a"))
    assert repo.toryo("run", "--plan", str(plan), "--yes", "--detach").code == 0
    with screen(repo, argv=TORYO, columns=80, rows=24) as terminal:
        sees(terminal, "▶. agent/task-a .*work")
        terminal.press("Down", "Enter")
        sees(terminal, "begun")
        terminal.press("Escape")
        sees(terminal, r"\[Branches\]")
        terminal.press("C-q")
        assert terminal.code() == 0
    with screen(repo, argv=TORYO, columns=120, rows=30) as terminal, screen(repo, argv=TORYO) as second:
        sees(terminal, "▶. agent/task-a ")
        sees(second, "▶. agent/task-a ")
        go.touch()
        for each in (terminal, second):
            until(lambda each=each: not re.search("▶. agent", shown(each)))
    until(lambda: not background_conductors(repo.path))
    assert repo.tasks()["A"]["state"] == "integrated"


def test_a_terminal_that_can_only_print_is_told_the_commands(repo: Repo) -> None:
    with screen(repo, argv=TORYO, environ={"TERM": "dumb"}) as terminal:
        assert terminal.code() == 64
        terminal.shows("Usage: toryo")
