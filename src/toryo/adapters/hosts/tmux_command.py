"""Running tmux: short commands, on the server a person is in or on a private one."""

import errno
import os
import re
import subprocess
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import accumulate
from pathlib import Path
from typing import IO

from toryo.adapters.processes import MARKER, wait_for_exit
from toryo.domain.facts import fact

PRIVATE_SERVER = "toryo"

_PATIENCE = 10.0
_TITLE_COLUMNS = 40
_SESSION_LENGTH = 60
_NO_SERVER = r"no server running|error connecting to .* \((No such file or directory|Connection refused)\)"


class TmuxFailed(OSError):
    """tmux did not do what it was asked to."""

    def __init__(self, said: str) -> None:
        super().__init__(errno.EIO, f"tmux: {said}")


@fact
class Answer:
    code: int
    out: str
    err: str


@fact
class Tmux:
    """A server of tmux, running or not."""

    server: tuple[str, str]
    environ: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "Tmux":
        """The server whose client we are inside of, or else the private one."""
        socket = socket_of(environ)
        return cls(("-S", socket) if socket else ("-L", PRIVATE_SERVER), environ)

    @classmethod
    def at(cls, socket: str) -> "Tmux":
        return cls(("-S", socket), os.environ)

    @property
    def is_private(self) -> bool:
        return self.server[0] == "-L"

    async def ask(self, *commands: Sequence[str], stdin: bytes = b"") -> str:
        """What the commands, done one after the other with nothing in between, print; raises TmuxFailed."""
        answer = await self.attempt(*commands, stdin=stdin)
        if answer.code != 0:
            raise TmuxFailed(answer.err or f"exit code {answer.code}")
        return answer.out

    async def attempt(self, *commands: Sequence[str], stdin: bytes = b"", cwd: Path | None = None) -> Answer:
        import asyncio

        with _scratch() as fed, _scratch() as out, _scratch() as err:
            fed.write(stdin)
            fed.seek(0)
            process = self._start(commands, cwd, fed, out, err)
            try:
                async with asyncio.timeout(_PATIENCE):
                    await wait_for_exit(process.pid)
            except TimeoutError:
                raise TmuxFailed(f"no answer in {_PATIENCE:.0f} seconds") from None
            finally:
                # The client only: what it asked for is the server's business by now.
                if process.poll() is None:
                    process.kill()
                code = process.wait()
            return Answer(code, _content(out), _content(err).strip())

    def _start(
        self, commands: Sequence[Sequence[str]], cwd: Path | None, fed: IO[bytes], out: IO[bytes], err: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                ["tmux", "-u", *self.server, *_sequence(commands)],
                cwd=cwd,
                env=without_terminal(self.environ),
                stdin=fed,
                stdout=out,
                stderr=err,
            )
        except FileNotFoundError as error:
            raise TmuxFailed("not installed") from error
        except (OSError, ValueError) as error:
            raise TmuxFailed(str(error)) from error


def socket_of(environ: Mapping[str, str]) -> str:
    """Where the server listens that this environment is inside of; empty: inside of none."""
    return environ.get("TMUX", "").partition(",")[0]


def without_terminal(environ: Mapping[str, str]) -> dict[str, str]:
    # The marker neither: a server started from within a run would be taken for a part of it, and ended with it.
    return {name: value for name, value in environ.items() if name not in ("TMUX", "TMUX_PANE", MARKER)}


def _sequence(commands: Sequence[Sequence[str]]) -> list[str]:
    words: list[str] = []
    for command in commands:
        words += [";"] if words else []
        words += map(_word, command)
    return words


def _word(text: str) -> str:
    """A semicolon at the end of a word would end the command."""
    return f"{text[:-1]}\\;" if text.endswith(";") else text


def _scratch() -> IO[bytes]:
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("tmux"), "w+b", buffering=0)
    import tempfile  # slow to import, and seldom needed

    return tempfile.TemporaryFile(buffering=0)


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


# ── names ────────────────────────────────────────────────────────────────────


def session_name(text: str) -> str:
    """As tmux takes it: dots and colons separate parts of a target, and other signs begin special ones."""
    return re.sub(r"[^\w-]+", "-", text).strip("-")[:_SESSION_LENGTH] or PRIVATE_SERVER


def window_name(text: str) -> str:
    """One line of harmless text: `#` begins formats, which can run commands."""
    shown = "".join(char if char.isprintable() else " " for char in text.replace("#", "＃"))
    name = " ".join(shown.split()) or PRIVATE_SERVER
    reached = list(accumulate(map(_columns, name)))
    if reached[-1] <= _TITLE_COLUMNS:
        return name
    return name[: bisect_right(reached, _TITLE_COLUMNS - 1)] + "…"


def folder_word(path: Path) -> str:
    """Where a window is to begin, as a word of a command: itself, and no format that could run commands."""
    return _word(str(path).replace("#", "##"))


def _columns(char: str) -> int:
    return 0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")


# ── is it there? ─────────────────────────────────────────────────────────────


def tmux_version(environ: Mapping[str, str] = os.environ) -> str:
    """Such as `3.3a`; empty if there is none."""
    answer = _look("-V", environ=environ)
    return answer.out.removeprefix("tmux").strip() if answer and answer.code == 0 else ""


def why_unusable(environ: Mapping[str, str] = os.environ) -> str:
    """What keeps tmux from working here; empty: nothing. Starts no server."""
    answer = _look("-V", environ=environ)
    if answer is None:
        return "not installed"
    if answer.code == 0:
        # Asked of a server that need not run, because only the socket's folder is in question.
        answer = _look(*Tmux.of(environ).server, "list-sessions", environ=environ)
    if answer is None or answer.code == 0 or re.search(_NO_SERVER, answer.err):
        return ""
    return answer.err or f"exit code {answer.code}"


def why_no_server(environ: Mapping[str, str] = os.environ) -> str:
    """The same, and whether a server can be started: one is, beside all others, and ended at once."""
    import tempfile

    if (why := why_unusable(environ)) or socket_of(environ):
        return why
    with tempfile.TemporaryDirectory(prefix="toryo-") as folder:
        answer = _look("-S", f"{folder}/s", "-f", "/dev/null", "start-server", ";", "kill-server", environ=environ)
    return "" if answer is None or answer.code == 0 else answer.err or f"exit code {answer.code}"


def _look(*args: str, environ: Mapping[str, str]) -> Answer | None:
    try:
        done = subprocess.run(
            ["tmux", *args],
            env=without_terminal(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        return None
    except (OSError, subprocess.TimeoutExpired) as error:
        return Answer(1, "", str(error))
    return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip())
