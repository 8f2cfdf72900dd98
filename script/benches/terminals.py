"""A pseudo-terminal: keys go in, and it is seen when something is shown."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benches.measuring import milliseconds

PATIENCE = 60.0


class Terminal:
    def __init__(self, leader: int, pid: int) -> None:
        self._leader = leader
        self.pid = pid
        self.seen = b""

    def type(self, text: str) -> None:
        os.write(self._leader, text.encode())

    def read(self, seconds: float) -> bool:
        """Takes in what is there by then; whether there was anything."""
        if not select.select([self._leader], [], [], seconds)[0]:
            return False
        self.seen += os.read(self._leader, 1 << 16)
        return True

    def until(self, text: bytes, since: int = 0) -> None:
        give_up = time.monotonic() + PATIENCE
        while text not in self.seen[since:]:
            if not self.read(0.05) and time.monotonic() > give_up:
                raise RuntimeError(f"{text!r} was never shown")

    def rest(self, seconds: float) -> None:
        """Takes in what comes meanwhile, so that whoever writes is never held up."""
        over = time.monotonic() + seconds
        while (left := over - time.monotonic()) > 0:
            self.read(left)

    def press(self, key: str, shows: bytes) -> float:
        """Milliseconds from the key to what it shows."""
        since = len(self.seen)
        return milliseconds(lambda: (self.type(key), self.until(shows, since)))


@contextmanager
def terminal(argv: list[str], where: Path, env: Mapping[str, str]) -> Iterator[Terminal]:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    streams = {"stdin": follower, "stdout": follower, "stderr": follower}
    process = subprocess.Popen(argv, cwd=where, env=dict(env), start_new_session=True, **streams)
    os.close(follower)
    try:
        yield Terminal(leader, process.pid)
    finally:
        process.kill()
        process.wait()
        os.close(leader)
