"""A program that answers once: its lines as they come, and never a process left behind."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.report import Trouble
from toryo.rules.callfailures import failure

_GRACE = 2.0
_LONGEST_LINE = 16_000_000
_MOST_LINES = 500_000


@dataclass(frozen=True, slots=True)
class Program:
    argv: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    prompt: bytes


async def answer_lines(program: Program, longest_silence: float) -> AsyncGenerator[str, None]:
    """What the program prints, stderr included; its whole process group is ended, however this is left."""
    try:
        process = await asyncio.create_subprocess_exec(
            *program.argv,
            cwd=program.folder,
            env=dict(program.environ),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
    except OSError as error:
        words = f"{program.argv[0]}: {error.strerror or error}"
        raise failure(Trouble.PROGRAM, words) from None
    told = asyncio.create_task(_tell(process, program.prompt))
    try:
        async for line in _lines(process, longest_silence, program.argv[0]):
            yield line
    finally:
        told.cancel()
        await _end(process)


async def _lines(process: asyncio.subprocess.Process, longest_silence: float, name: str) -> AsyncIterator[str]:
    assert process.stdout
    for _ in range(_MOST_LINES):
        try:
            # Not wait_for: cancelled while a line comes, it would hand on the line and forget that.
            async with asyncio.timeout(longest_silence):
                line = await process.stdout.readline()
        except TimeoutError:
            raise failure(Trouble.API, f"{name} said nothing for {longest_silence:g} seconds") from None
        except ValueError:
            raise failure(Trouble.OTHER, f"{name} printed a line that is too long") from None
        if not line:
            return
        yield line.decode("utf-8", errors="replace")
    raise failure(Trouble.OTHER, f"{name} printed too much")


async def _tell(process: asyncio.subprocess.Process, prompt: bytes) -> None:
    assert process.stdin
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended before it had heard everything
        process.stdin.write(prompt)
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Asks the group to end, then makes it; a second interruption makes it at once."""
    try:
        if process.returncode is None:
            _signal(process.pid, signal.SIGTERM)
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE):
                    await process.wait()
    finally:
        _signal(process.pid, signal.SIGKILL)
    await process.wait()


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
