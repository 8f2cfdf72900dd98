"""Toryo on a real pseudo-terminal, in front of a person who answers."""

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Iterable

from tests.support.repositories import TORYO, Repo

INTERRUPT = "\x03"


def on_terminal(repo: Repo, *args: str, answer: str = "") -> tuple[int, str]:
    """The exit code, and all that a person would see; the answer is typed before anything is asked."""
    return converse(repo, *args, answers=[("", answer)] if answer else [], columns=120)


def converse(
    repo: Repo, *args: str, answers: Iterable[tuple[str, str]], seconds: float = 60, columns: int = 200
) -> tuple[int, str]:
    """Each answer is given once its question is on the screen; the exit code, and all that was shown."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*TORYO, *args],
        cwd=repo.path,
        env={**repo.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40"},
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
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _talk(leader: int, answers: list[tuple[str, str]], give_up: float) -> str:
    seen, answered = "", 0
    while True:
        assert time.monotonic() < give_up, f"waiting for {answers[:1]} after:\n{seen}"
        if answers and _is_asked(*answers[0], seen[answered:]):
            answered = len(seen)
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


def _is_asked(question: str, answer: str, seen: str) -> bool:
    """A prompt listens from the blank at its end on: what is typed before that, a hidden one throws away."""
    is_listening = not question or answer == INTERRUPT or seen.endswith(" ")
    return question in seen and is_listening
