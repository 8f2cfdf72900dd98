"""Asking parsers where files go wrong, in a process of their own that may take only so long."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from toryo.adapters.git.command import Git, scratch
from toryo.adapters.processes import wait_for_exit
from toryo.domain.changing import changed
from toryo.ports.parsing import Parsable

_PROGRAM = Path(__file__).with_name("syntax_program.py")
_TIME = 30.0


class OwnParsers:
    """Where a file is at fault now, what it was before is looked at too: who found it broken may leave it so."""

    def __init__(self, git: Git, root: Path) -> None:
        self._git, self._root = git, root

    async def newly_broken(self, files: Sequence[Parsable]) -> list[int]:
        faults = await _first_errors(files)
        broken = [place for place, fault in enumerate(faults) if fault and files[place].base]
        if broken:
            from tempfile import TemporaryDirectory  # every session is loaded with this module, and few come here

            with TemporaryDirectory(prefix="toryo-") as folder:
                before = [await self._before(files[place], Path(folder) / str(place)) for place in broken]
                for place, fault in zip(broken, await _first_errors(before), strict=True):
                    if fault != 0:  # it was at fault already, or nobody knows
                        faults[place] = 0
        return [fault or 0 for fault in faults]

    async def _before(self, file: Parsable, copy: Path) -> Parsable:
        held = await self._git.attempt(self._root, "cat-file", "blob", file.base)
        if held.returncode == 0:
            copy.write_bytes(held.stdout)
        return changed(file, file=copy)


async def _first_errors(files: Sequence[Parsable]) -> list[int | None]:
    """For each file its first line at fault, 0 if there is none, None if nobody knows."""
    asked = [[number, file.grammar, str(file.file)] for number, file in enumerate(files)]
    with scratch() as words, scratch() as out:
        words.write(json.dumps(asked).encode())
        words.seek(0)
        process = _start(words, out)
        try:
            async with asyncio.timeout(_TIME):
                await wait_for_exit(process.pid)
        except TimeoutError:
            pass  # what it has told so far still holds
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        return _answers(out.read().decode(errors="replace"), len(files))


def _start(words: IO[bytes], out: IO[bytes]) -> subprocess.Popen[bytes]:
    """By its path, and with nobody's folder or variables: nothing that lies about decides what is imported."""
    argv = [sys.executable, "-I", str(_PROGRAM)]
    return subprocess.Popen(argv, cwd="/", stdin=words, stdout=out, stderr=subprocess.DEVNULL)


def _answers(said: str, count: int) -> list[int | None]:
    answers: list[int | None] = [None] * count
    for line in said.splitlines():
        number, _, fault = line.partition(" ")
        if number.isdecimal() and fault.isdecimal() and int(number) < count:
            answers[int(number)] = int(fault)
    return answers
