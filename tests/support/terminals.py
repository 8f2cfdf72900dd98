"""Toryo in front of a person."""

import os
import pty
import subprocess

from tests.support.repositories import TORYO, Repo


def on_terminal(repo: Repo, *args: str, answer: str = "") -> tuple[int, str]:
    """Runs Toryo on a real pseudo-terminal; what a person would see."""
    leader, follower = pty.openpty()
    env = {**repo.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(
        [*TORYO, *args],
        cwd=repo.path,
        env=env,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        close_fds=True,
    )
    os.close(follower)
    if answer:
        os.write(leader, answer.encode())
    seen = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(leader)
    return process.wait(timeout=60), seen.decode(errors="replace")
