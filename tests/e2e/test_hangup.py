"""The terminal goes away: its window is closed, or the connection to it cut."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.repositories import TORYO, Repo, shell, until

HUNG_UP = 128 + signal.SIGHUP


@dataclass
class Terminal:
    """The end of it that a person looks at."""

    leader: int
    process: "subprocess.Popen[bytes]"

    def show(self, text: str) -> None:
        seen, give_up = b"", time.monotonic() + 60
        while text.encode() not in seen:
            assert time.monotonic() < give_up, seen
            seen += self._read(1) or b""

    def rest(self) -> bytes:
        """What is shown until everybody has left it."""
        shown = b""
        while (chunk := self._read(60)) is not None:
            shown += chunk
        return shown

    @property
    def is_raw(self) -> bool:
        return not termios.tcgetattr(self.leader)[3] & termios.ICANON

    def _read(self, seconds: float) -> bytes | None:
        if not select.select([self.leader], [], [], seconds)[0]:
            return b""
        try:
            return os.read(self.leader, 65536)
        except OSError:
            return None


@contextmanager
def terminal(repo: Repo, folder: Path, *args: str) -> Iterator[Terminal]:
    """With Toryo at it, started by one who ignores hang-ups, as `nohup` does."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def begin() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = subprocess.Popen(
        [*TORYO, *args],
        cwd=repo.path,
        env={**repo.environ, "TERM": "xterm-256color", "TMPDIR": str(folder)},
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        preexec_fn=begin,
    )
    os.close(follower)
    try:
        yield Terminal(leader, process)
    finally:
        process.kill()
        process.wait()


@pytest.mark.covers("G1", "P28")
@pytest.mark.parametrize(
    ("args", "shows"),
    [((), "Branches"), (("repl",), "toryo>"), (("inbox",), "protected")],
    ids=["app", "repl", "inbox"],
)
def test_it_ends_without_a_fault(repo: Repo, tmp_path: Path, args: tuple[str, ...], shows: str) -> None:
    repo.run(shell("T1", "mkdir -p .github/workflows; echo on > .github/workflows/ci.yml"))
    folder = tmp_path / "faults"
    folder.mkdir()
    with terminal(repo, folder, *args) as seen:
        seen.show(shows)
        os.close(seen.leader)
        assert seen.process.wait(30) == HUNG_UP
    assert list(folder.glob("toryo-fault-*")) == []


def test_it_is_no_fault_either_where_the_terminal_is_gone_before_a_key_is_waited_for() -> None:
    leader, follower = pty.openpty()
    program = "import sys, termios; from toryo.frontends.cli.boundary import leave\ntry: termios.tcgetattr(0)\n"
    program += "except termios.error as error: sys.exit(leave(error))"
    os.close(leader)
    done = subprocess.run([*TORYO[:-2], "-c", program], stdin=follower, capture_output=True, check=False)
    os.close(follower)
    assert (done.returncode, done.stderr) == (HUNG_UP, b"")


@pytest.mark.covers("F6")
def test_who_watches_goes_on_where_hang_ups_are_ignored(repo: Repo, tmp_path: Path) -> None:
    drafts, intents = repo.path / ".toryo" / "drafts", repo.path / ".toryo" / "intents"
    drafts.mkdir(parents=True)
    with terminal(repo, tmp_path, "watch") as seen:
        seen.show("watching")
        os.close(seen.leader)
        for name in ("one", "two"):
            (drafts / f"{name}.md").write_text(f"{name}\n")
            until(lambda name=name: (intents / f"{name}.yaml").exists())  # type: ignore[misc]
        assert seen.process.poll() is None
        assert repo.toryo("watch", "--stop").code == 0
        seen.process.wait(30)
    assert list(tmp_path.glob("toryo-fault-*")) == []


@pytest.mark.covers("G1")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_the_app_leaves_the_terminal_as_it_was(repo: Repo, tmp_path: Path, number: signal.Signals) -> None:
    with terminal(repo, tmp_path) as seen:
        seen.show("Branches")
        assert seen.is_raw
        seen.process.send_signal(number)
        assert b"\x1b[?1049l" in seen.rest(), "back to the screen that was there before"
        assert seen.process.wait(30) == 128 + number
        assert not seen.is_raw
        os.close(seen.leader)
