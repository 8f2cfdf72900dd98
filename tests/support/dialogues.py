"""Toryo on a real pseudo-terminal, answered question by question."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Iterable

from tests.support.repositories import TORYO, Repo


def converse(repo: Repo, *args: str, answers: Iterable[tuple[str, str]], seconds: float = 60) -> tuple[int, str]:
    """Each answer is given once its question is on the screen; the exit code, and all that was shown."""
    leader, follower = pty.openpty()
    env = {**repo.environ, "TERM": "xterm-256color", "COLUMNS": "200", "LINES": "40"}
    process = subprocess.Popen(
        [*TORYO, *args],
        cwd=repo.path,
        env=env,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(follower)
    try:
        seen = _talk(leader, list(answers), time.monotonic() + seconds)
        return process.wait(timeout=seconds), seen
    finally:
        os.close(leader)
        if process.poll() is None:
            process.kill()
            process.wait()


def _take_terminal() -> None:
    """So that Ctrl-C on it is an interrupt."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _talk(leader: int, answers: list[tuple[str, str]], give_up: float) -> str:
    seen, answered = "", 0
    while True:
        assert time.monotonic() < give_up, f"waiting for {answers[:1]} after:\n{seen}"
        if answers and answers[0][0] in seen[answered:]:
            answered = len(seen)
            time.sleep(0.05)  # a hidden question throws away what was typed before it
            os.write(leader, answers.pop(0)[1].encode())
        if not select.select([leader], [], [], 0.2)[0]:
            continue
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            return seen
        if not chunk:
            return seen
        seen += chunk.decode(errors="replace")
