"""Leaving the screen to another program for a while: a shell in a worktree, an agent's window."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from textual.app import App, SuspendNotSupported

from toryo.domain.errors import ToryoError
from toryo.views.screen import clean


def beside(argv: Sequence[str], cwd: Path) -> None:
    """For a thread: a command that opens a window of its own and is done with that."""
    done = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise _failed(argv, (done.stderr or done.stdout).strip())


def instead(app: App[int], argv: Sequence[str], cwd: Path, words: str) -> None:
    """The program has the terminal until it ends; nothing else happens in the app meanwhile, nor has to."""
    try:
        with app.suspend():
            sys.stdout.write(f"{clean(words)}\n")
            sys.stdout.flush()
            try:
                subprocess.run(argv, cwd=cwd, check=False)
            except OSError as error:
                raise _failed(argv, str(error)) from error
    except SuspendNotSupported:
        raise ToryoError("E506", "this terminal cannot be left to another program") from None


def _failed(argv: Sequence[str], why: str) -> ToryoError:
    return ToryoError("E504", f"{argv[0]} could not be started: {why}")
