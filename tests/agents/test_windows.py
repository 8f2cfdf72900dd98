"""Where people watch: windows of tmux for each run, and what there is without tmux."""

import json
import os
import pty
import select
import shlex
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.crews import (
    begun,
    ended,
    needs_programs,
    needs_tmux,
    runs_of,
    session_of,
    shown_in,
    tmux,
    told,
    window_of,
)
from tests.support.model_server import ModelServer
from tests.support.repositories import TORYO, Repo, shell, until

pytestmark = [needs_programs, needs_tmux]

OWN = ("-L", "own")
"""The server of a person who uses tmux."""


@pytest.fixture(autouse=True)
def on_tmux(repo: Repo) -> None:
    repo.environ["TORYO_RUN_HOST"] = "tmux"


class Work:
    """A headless run of Claude that has said something, and goes on when it is told to."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self._repo, self._go = repo, folder / "go"
        wait = f"until test -e {self._go}; do sleep 0.05; done"
        task = told("A", f"run echo the tool speaks; {wait}; echo a > a.txt", "say all is well")
        self.process = repo.start("run", "--plan", str(repo.plan(task)))
        self.run = begun(repo)

    def finish(self) -> None:
        self._go.touch()
        said = ended(self.process)
        assert self.process.returncode == 0, said
        assert len(runs_of(self._repo)) == 1, "nothing that happens to a view harms the run"
        assert "a.txt" in self._repo.files_on("agent/the-plan")


@pytest.fixture
def work(repo: Repo, tmp_path: Path) -> Work:
    return Work(repo, tmp_path)


@pytest.mark.covers("G17")
def test_a_headless_run_has_a_window_with_readable_text(repo: Repo, work: Work) -> None:
    window = window_of(repo, work.run)
    short = session_of(repo)["id"].removeprefix("session-")[:8]
    assert window["session"] == f"toryo-{short}-the-plan"
    assert tmux(repo, "list-windows", "-t", window["session"], "-F", "#{window_name}").splitlines() == ["A Task A"]
    text = until(lambda: shown if "echo the tool speaks" in (shown := shown_in(repo, window["pane"])) else "")
    assert '{"type"' not in text

    printed = repo.toryo("attach", "--print", "A")
    assert printed.code == 0, printed
    assert window["session"] in printed.out
    assert window["window"] in printed.out
    assert repo.toryo("attach", "A").code == 64, "here is no terminal"
    work.finish()
    assert repo.toryo("attach", "--print", "A").code == 64, "it is over"
    assert "all is well" in repo.toryo("logs", "A").out


def test_attaching_brings_a_person_in_front_of_the_window(repo: Repo, work: Work) -> None:
    window = window_of(repo, work.run)
    outside, inside = pty.openpty()
    # As large as the window is: in a smaller one, tmux may push the first lines out of sight.
    termios.tcsetwinsize(inside, (50, 200))
    person = subprocess.Popen(
        [*TORYO, "attach", "A"],
        cwd=repo.path,
        env={**repo.environ, "TERM": "xterm-256color"},
        stdin=inside,
        stdout=inside,
        stderr=inside,
        start_new_session=True,
    )
    os.close(inside)
    try:
        _read_until(outside, b"the tool speaks")
        assert tmux(repo, "list-clients", "-F", "#{client_session}").strip() == window["session"]
        tmux(repo, "detach-client", "-s", window["session"])
        _read_until(outside, b"[detached")
        assert person.wait(30) == 0
    finally:
        person.kill()
        person.wait()
        os.close(outside)
    work.finish()


def _read_until(terminal: int, text: bytes) -> None:
    shown = b""
    while text not in shown:
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 65536)


@pytest.mark.covers("G17")
@pytest.mark.parametrize("blow", ["kill-pane", "kill-server"])
def test_killing_the_view_of_a_headless_run_harms_nothing(blow: str, repo: Repo, work: Work) -> None:
    pane = window_of(repo, work.run)["pane"]
    tmux(repo, *([blow, "-t", pane] if blow == "kill-pane" else [blow]))
    again = repo.toryo("attach", "--print", "A")
    assert again.code == 0, again
    assert "attach-session" in again.out, "it is opened anew"
    work.finish()


@pytest.fixture
def own_server(repo: Repo) -> Iterator[str]:
    tmux(repo, "-f", "/dev/null", "new-session", "-d", "-s", "mine", "/bin/sh", server=OWN)
    socket = tmux(repo, "display-message", "-p", "#{socket_path}", server=OWN).strip()
    yield socket
    tmux(repo, "kill-server", server=OWN, check=False)


@pytest.mark.covers("G3")
def test_inside_of_tmux_the_persons_own_server_is_used(repo: Repo, own_server: str, tmp_path: Path) -> None:
    repo.environ["TMUX"] = f"{own_server},1,0"
    work = Work(repo, tmp_path)
    window = window_of(repo, work.run)
    assert os.path.realpath(window["socket"]) == os.path.realpath(own_server)
    sessions = tmux(repo, "list-sessions", "-F", "#{session_name}", server=OWN).split()
    assert sorted(sessions) == ["mine", window["session"]]
    words = shlex.split(repo.toryo("attach", "--print", "A").out)
    assert "switch-client" in words
    work.finish()
    assert tmux(repo, "list-sessions", "-F", "#{session_name}", server=OWN).split() == ["mine"]


# ── without tmux ─────────────────────────────────────────────────────────────


@pytest.fixture
def no_tmux(repo: Repo, tmp_path: Path) -> None:
    """The same PATH, but for one program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for part in reversed(repo.environ["PATH"].split(os.pathsep)):
        for program in Path(part).iterdir() if Path(part).is_dir() else ():
            link = folder / program.name
            link.unlink(missing_ok=True)
            link.symlink_to(program)
    (folder / "tmux").unlink()
    repo.environ["PATH"] = str(folder)


@pytest.mark.covers("G3")
@pytest.mark.usefixtures("no_tmux")
def test_without_tmux_the_same_runs_are_headless(repo: Repo, tmp_path: Path) -> None:
    wait = f"until test -e {tmp_path}/go; do sleep 0.05; done"
    plan = repo.plan(told("A", f"run {wait}; echo a > a.txt", "say all is well"))
    process = repo.start("run", "--plan", str(plan), "--host", "auto")
    begun(repo)
    attach = repo.toryo("attach", "--print", "A")
    assert attach.code == 69, attach
    assert "toryo logs --follow A" in attach.err
    follower = repo.start("logs", "--follow", "A")
    (tmp_path / "go").touch()
    assert "exit 0" in ended(process)
    assert "all is well" in ended(follower)


@pytest.mark.covers("G3")
@pytest.mark.usefixtures("no_tmux")
def test_without_tmux_an_interactive_agent_is_refused_and_told_why(repo: Repo) -> None:
    repo.environ["TORYO_AGENTS_CLAUDE_MODE"] = "interactive"
    done = repo.toryo("run", "--plan", str(repo.plan(told("A", "write a.txt a"))), "--host", "auto")
    assert done.code == 69, done
    assert "tmux" in done.err
    assert "headless" in done.err, "what to do about it"


@pytest.mark.covers("G3")
@pytest.mark.usefixtures("no_tmux")
def test_asking_for_tmux_where_there_is_none_is_said(repo: Repo) -> None:
    done = repo.toryo("run", "--plan", str(repo.plan(shell("A", "echo a > a"))), "--host", "tmux")
    assert "tmux" in done.err, "it is not silently something else"


# ── many ─────────────────────────────────────────────────────────────────────


@pytest.mark.covers("G17")
def test_each_run_has_its_own_window_in_the_sessions_group(repo: Repo, model: ModelServer, tmp_path: Path) -> None:
    wait = f"until test -e {tmp_path}/go; do sleep 0.05; done"
    tasks = [told(key, f"run {wait}; echo x > {key}.txt", title=f"Täsk {key} #{{pid}}") for key in "ABC"]
    process = repo.start("run", "--plan", str(repo.plan(*tasks)), "--parallel", "3")
    windows = [window_of(repo, begun(repo, key)) for key in "ABC"]
    assert len({window["session"] for window in windows}) == 1
    names = tmux(repo, "list-windows", "-t", windows[0]["session"], "-F", "#{window_name}").splitlines()
    assert sorted(name[:6] for name in names) == ["A Täsk", "B Täsk", "C Täsk"]
    (tmp_path / "go").touch()
    said = ended(process)
    assert process.returncode == 0, said
    assert json.loads(repo.toryo("status", "--json").out)["sessions"][0]["outcome"] == "COMPLETE"
    gone = subprocess.run(["tmux", "-L", "toryo", "list-sessions"], env=repo.environ, capture_output=True, check=False)
    assert gone.returncode != 0, "the private server goes with its last window"
