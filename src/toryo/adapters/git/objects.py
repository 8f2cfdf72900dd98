"""Looking up commits and trees without starting a process each time."""

import subprocess
import threading
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.domain.errors import GitFailed


class Objects:
    """One long-lived `git cat-file`; asks are short and answered in order."""

    def __init__(self, git: Git, where: Path) -> None:
        self._git, self._where = git, where
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def find(self, name: str) -> str | None:
        """The id of what a revision names now, or None."""
        with self._turn:
            try:
                return self._ask(name)
            except (BrokenPipeError, EOFError):
                self._process = None
                return self._ask(name)

    def need(self, name: str) -> str:
        found = self.find(name)
        if found is None:
            raise GitFailed(f"{name} is not in the repository")
        return found

    def begin(self) -> None:
        """Starts it before it is asked, so that the first answer comes as quickly as the others."""
        with self._turn:
            if self._process is None:
                self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["git", "cat-file", "--batch-check=%(objectname)"],
            cwd=self._where,
            env=self._git.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _ask(self, name: str) -> str | None:
        if self._process is None:
            self._process = self._start()
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(name.encode(errors="surrogateescape") + b"\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise EOFError(name)
        found = answer.decode(errors="replace").strip()
        return None if found.endswith((" missing", " ambiguous")) else found

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin and self._process.stdout
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
            self._process = None
