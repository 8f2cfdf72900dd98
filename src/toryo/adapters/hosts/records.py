"""The record directory of a run: who has claimed it, who wraps it, how it ended."""

import asyncio
import errno
import json
import os
import time
from pathlib import Path

from toryo.adapters import children, processes
from toryo.ports import Ended, Launch
from toryo.rules.masking import mask_all

_CLAIM_PATIENCE = 2.0
_LONGEST_RECORD = 200
_HIGHEST_CODE = 255


# ── claiming ─────────────────────────────────────────────────────────────────


def is_claimed(record: Path) -> bool:
    return (record / "pid").exists() or (record / "exit").exists()


def prepare(launch: Launch, record: Path) -> None:
    """A record of what is about to be started; raises OSError if it cannot be."""
    if not launch.cwd.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the working directory does not exist", str(launch.cwd))
    if launch.stdin and not launch.stdin.is_file():
        raise FileNotFoundError(errno.ENOENT, "the file for standard input does not exist", str(launch.stdin))
    record.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_launch(launch, record)


def _write_launch(launch: Launch, record: Path) -> None:
    content = {
        "argv": mask_all(launch.argv),
        "cwd": str(launch.cwd),
        "env": sorted(launch.env),  # names only: values are secrets as often as not
        "started_by": os.getpid(),
        "interactive": launch.screen is not None and launch.screen.shows is None,
    }
    # Written whole or not at all does not matter here: whoever comes second writes the same again.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with os.fdopen(os.open(record / "launch.json", flags, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(content))


async def claimed(record: Path, pid: int) -> None:
    """Waits the few milliseconds until the wrapper has noted its pid, or has left because another one had."""
    pause = 0.0005
    while noted_pid(record) is None and (found := processes.look_at(pid)) and not found.is_zombie:
        await asyncio.sleep(pause)
        pause = min(pause * 1.2, 0.02)


# ── reading ──────────────────────────────────────────────────────────────────


def noted_pid(record: Path) -> int | None:
    try:
        pid = int((record / "pid").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return pid if pid > 1 else None


async def wrapper(record: Path) -> int | None:
    """The noted pid; between claiming and noting the file is empty, after a power cut it stays so."""
    give_up = time.monotonic() + _CLAIM_PATIENCE
    is_open = (record / "pid").exists
    while (pid := noted_pid(record)) is None and is_open() and time.monotonic() < give_up:
        await asyncio.sleep(0.005)
    return pid


def look_at_wrapper(pid: int, record: Path) -> processes.Process | None:
    """The process of that pid if it is the record's wrapper, and not one that has its pid now."""
    is_wrapper = children.is_expected(pid, record) or processes.record_of(pid) == str(record)
    return processes.look_at(pid) if is_wrapper else None


def exit_record(record: Path, reaped: int) -> Ended | None:
    """What the wrapper, now gone, recorded; a file not yet moved counts too, if it is complete."""
    for name in ("exit", "exit.tmp"):
        path = record / name
        try:
            with path.open("rb") as file:
                code = _code_in(file.read(_LONGEST_RECORD))
                if code is not None:
                    return Ended(code, os.fstat(file.fileno()).st_mtime, reaped)
        except OSError:
            continue
    return None


def _code_in(content: bytes) -> int | None:
    """The exit code, if this is what a wrapper writes: anything else could make a success of a damaged file."""
    try:
        code = json.loads(content)["code"]
    except (ValueError, TypeError, KeyError):
        return None
    return code if type(code) is int and 0 <= code <= _HIGHEST_CODE else None
