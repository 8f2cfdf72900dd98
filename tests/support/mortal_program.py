"""Toryo as a process that dies by SIGKILL at one of its steps that write, each of which can be chosen.

Usage: python -m tests.support.mortal_program STEP COMMAND… Steps are files of people and of the store as they are
opened for writing, renamed, linked or removed, before and after they change places, processes as they are started, and
the journal before and after it is appended to. Nothing of Toryo is changed for it: the interpreter tells. Exit code as
ever where it has fewer steps.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.repositories import Repo

_FILES = ("os.rename", "os.link", "os.remove", "os.mkdir")
_LEFT_OUT = ("/logs/", ".lock", "journal.db", "/cache")
_WATCHED = (("append", "/toryo/journal/"), ("_exchange", "/toryo/adapters/swapping.py"))
"""Functions of Toryo whose call and return are steps, and where they stand."""


def main() -> None:
    left, lock = [int(sys.argv[1])], threading.Lock()

    def step() -> None:
        with lock:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, args: tuple[Any, ...]) -> None:
        is_writing = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        path = str(args[0]) if args else ""
        is_ours = any(part in path for part in ("/.toryo/", "/toryo/")) and not any(part in path for part in _LEFT_OUT)
        if (event == "subprocess.Popen" and "conduct" in args[1]) or ((event in _FILES or is_writing) and is_ours):
            step()

    def told(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event in ("call", "return") and any(
            code.co_name == name and place in code.co_filename for name, place in _WATCHED
        ):
            step()

    from toryo.frontends.cli import main as toryo

    sys.argv = ["toryo", *sys.argv[2:]]
    sys.addaudithook(heard)
    threading.setprofile(told)
    sys.setprofile(told)
    toryo()


def dies_at(repo: "Repo", step: int, *command: str) -> bool:
    """Whether it had so many steps, and so was killed at that one; else it has done what it should."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.mortal_program", str(step), *command],
        cwd=repo.path,
        env={**repo.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode in (-signal.SIGKILL, 0), done.stderr
    return done.returncode != 0


if __name__ == "__main__":
    main()
