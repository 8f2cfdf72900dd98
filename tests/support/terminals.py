"""Toryo on a real pseudo-terminal, in front of a person who answers."""

import fcntl
import os
import pty
import select
import subprocess
import termios
import time
from collections.abc import Iterable
from pathlib import Path

from tests.support.repositories import TORYO, Repo


def on_terminal(repo: Repo, *args: str, answer: str = "") -> tuple[int, str]:
    """The exit code, and all that a person would see; the answer is typed before anything is asked."""
    return converse(repo, *args, answers=[("", answer)] if answer else [], columns=120)


def converse(
    repo: Repo,
    *args: str,
    answers: Iterable[tuple[str, str]] = (),
    interrupt_at: str = "",
    seconds: float = 60,
    columns: int = 200,
) -> tuple[int, str]:
    """Each answer is given once its question waits for it; the exit code, and all that was shown.

    With `interrupt_at` Ctrl-C is pressed as soon as that is on the screen.
    """
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
        expected = [*((question, answer, True) for question, answer in answers)]
        expected += [(interrupt_at, "\x03", False)] if interrupt_at else []
        seen = _talk(leader, process.pid, expected, time.monotonic() + seconds)
        return process.wait(timeout=seconds), seen
    finally:
        os.close(leader)
        if process.poll() is None:
            process.kill()
            process.wait()


def _take_terminal() -> None:
    """So that Ctrl-C on it is an interrupt."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _talk(leader: int, pid: int, answers: list[tuple[str, str, bool]], give_up: float) -> str:
    seen, answered = "", 0
    while True:
        assert time.monotonic() < give_up, f"waiting for {answers[:1]} after:\n{seen}"
        if answers and answers[0][0] in seen[answered:]:
            question, answer, is_prompt = answers[0]
            if not (question and is_prompt) or (seen.endswith(" ") and _waits(pid)):
                answered = len(seen)
                answers.pop(0)
                os.write(leader, answer.encode())
        if not select.select([leader], [], [], 0.02)[0]:
            continue
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            return seen
        if not chunk:
            return seen
        seen += chunk.decode(errors="replace")


def _waits(pid: int) -> bool:
    """A prompt that is shown is not yet one that listens: a hidden one throws away what was typed before it does."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"
