"""Toryo in a real terminal, a window of tmux on a socket of its own: keys are sent, the screen is read."""

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.repositories import TORYO, Repo, until


class Screen:
    """One window; what its program leaves behind is in `code` once it has ended."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "s"
        self.pid = 0

    def tmux(self, *args: str) -> str:
        argv = ["tmux", "-u", "-f", os.devnull, "-S", str(self._socket), *args]
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self._folder)}
        done = subprocess.run(argv, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=30)
        return done.stdout

    def open(self, repo: Repo, argv: tuple[str, ...], environ: Mapping[str, str], columns: int, rows: int) -> None:
        values = {"TERM": "screen-256color", **repo.environ, **environ}
        env = [f"{name}={value}" for name, value in values.items()]
        pid, code = self._folder / "pid", self._folder / "code"
        # The shell in between says with which code it ended, and leaves the screen as it is.
        inner = f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec {shlex.join(argv)}"
        script = f"trap : INT; sh -c {shlex.quote(inner)}; echo $? > {code}.new; mv {code}.new {code}; exec sleep 600"
        size = ("-x", str(columns), "-y", str(rows))
        self.tmux("new-session", "-d", *size, "-c", str(repo.path), "env", "-i", *env, "sh", "-c", script)
        self.pid = int(until(lambda: pid.exists() and pid.read_text()))

    def close(self) -> None:
        self.tmux("kill-server")
        until(lambda: not self.tmux("list-sessions"), 20)

    # ── keys ─────────────────────────────────────────────────────────────────

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", "--", text)

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def send(self, text: str) -> None:
        self.type(text)
        self.press("Enter")

    def paste(self, text: str) -> None:
        """As a terminal does that brackets what is pasted."""
        self.tmux("set-buffer", "--", text)
        self.tmux("paste-buffer", "-p")

    def resize(self, columns: int, rows: int) -> None:
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    # ── what is seen ─────────────────────────────────────────────────────────

    def lines(self, *, styled: bool = False) -> list[str]:
        """What is on the screen now."""
        return self.tmux("capture-pane", "-p", *(("-e",) if styled else ())).rstrip("\n").split("\n")

    def everything(self) -> str:
        """With what has scrolled away; lines that were too long for the screen are whole again."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    def shows(self, text: str, seconds: float = 60) -> None:
        """Waits until it is on the screen, or has been."""
        give_up = time.monotonic() + seconds
        while text not in (seen := self.everything()):
            assert time.monotonic() < give_up, f"never shown: {text!r}, but:\n{seen}"
            time.sleep(0.02)

    def prompt(self) -> str:
        """The line being typed: the last one with the prompt in it, and what is below it up to the bar."""
        lines = [line.rstrip() for line in self.lines()]
        at = max((place for place, line in enumerate(lines) if line.startswith("toryo>")), default=None)
        return "" if at is None else "\n".join(line for line in lines[at:-1] if line)

    def is_typed(self, text: str, seconds: float = 60) -> None:
        """Waits until the line being typed is exactly that."""
        give_up = time.monotonic() + seconds
        while self.prompt() != (wanted := f"toryo> {text}".rstrip()):
            assert time.monotonic() < give_up, f"not {wanted!r}, but:\n" + "\n".join(self.lines())
            time.sleep(0.02)

    @property
    def bar(self) -> str:
        return self.lines()[-1].strip()

    def code(self, seconds: float = 60) -> int:
        """The exit code, once it has ended."""
        path, give_up = self._folder / "code", time.monotonic() + seconds
        while not path.exists():
            assert time.monotonic() < give_up, "it has not ended, but shows:\n" + "\n".join(self.lines())
            time.sleep(0.02)
        return int(path.read_text())


@contextmanager
def screen(
    repo: Repo,
    *args: str,
    argv: tuple[str, ...] = (),
    environ: Mapping[str, str] | None = None,
    columns: int = 100,
    rows: int = 30,
) -> Iterator[Screen]:
    """`toryo repl` in a terminal of its own, ready to be talked to; or another program."""
    folder = Path(tempfile.mkdtemp(prefix="ts-", dir="/tmp"))
    shown = Screen(folder)
    try:
        shown.open(repo, argv or (*TORYO, "repl", *args), environ or {}, columns, rows)
        if not argv:
            shown.shows("toryo>")
        yield shown
    finally:
        shown.close()
        shutil.rmtree(folder)
