"""Running another program to its end, or to the end of its time, with whatever it started."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from toryo.adapters.git.command import scratch
from toryo.adapters.processes import wait_for_exit

OVERTIME = 124
"""The exit code of what had to be ended, as the program `timeout` has it."""


async def run_within(
    seconds: float,
    argv: Sequence[str],
    where: Path,
    environ: Mapping[str, str],
    *,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """It has no terminal, so that nothing in it can wait for somebody to type. Raises OSError if it cannot start."""
    with scratch() as given, scratch() as out, scratch() as err:
        given.write(stdin)
        given.seek(0)
        process = _start(argv, where, environ, (given, out, err))
        try:
            async with asyncio.timeout(seconds):
                await wait_for_exit(process.pid)
        except TimeoutError:
            _end(process)
            said = _content(err) + f"\nno answer within {seconds:g} s".encode()
            return subprocess.CompletedProcess(argv, OVERTIME, _content(out), said)
        except asyncio.CancelledError:
            _end(process)  # nobody waits for it any more
            raise
        return subprocess.CompletedProcess(argv, process.wait(), _content(out), _content(err))


def _start(
    argv: Sequence[str], where: Path, environ: Mapping[str, str], files: tuple[IO[bytes], IO[bytes], IO[bytes]]
) -> subprocess.Popen[bytes]:
    given, out, err = files
    return subprocess.Popen(argv, cwd=where, env=environ, stdin=given, stdout=out, stderr=err, start_new_session=True)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _end(process: subprocess.Popen[bytes]) -> None:
    """With what it started; it leads a group of its own, whose number is taken as long as it is not collected."""
    _signal(process, signal.SIGTERM)
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


_GRACE = 2.0
