"""A program that answers once, and those who stop listening to it."""

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from toryo.adapters.models.answering import Program, answer_lines

TALKS = "import os, sys\nwhile True: sys.stdout.write(f'{os.getpid()}\\n'); sys.stdout.flush()"


async def listen(folder: Path, hear: Callable[[str], None]) -> None:
    program = Program((sys.executable, "-c", TALKS), folder, os.environ, b"")
    async with aclosing(answer_lines(program, 60.0)) as lines:
        async for line in lines:
            hear(line)


async def test_who_is_cancelled_while_a_line_comes_listens_no_more(tmp_path: Path) -> None:
    """Whatever arrives at that very moment: a question that nobody asks any more must not go on."""
    for _ in range(20):
        heard: list[str] = []
        listening = asyncio.create_task(listen(tmp_path, heard.append))
        while len(heard) < 3:
            await asyncio.sleep(0)
        listening.cancel()
        done, _ = await asyncio.wait([listening], timeout=10)
        assert done, "it still listens"
        assert listening.cancelled()
        with pytest.raises(ProcessLookupError):
            os.kill(int(heard[0]), 0)
