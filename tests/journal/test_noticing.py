"""What one process appends, another one notices at once: each time, not most of the time."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.support.sessions import AT, opening

from toryo.adapters.watching import SAFETY_NET, changes
from toryo.domain import events as e
from toryo.journal.sqlite import SqliteJournal

STREAM = "session-0123abcd-4567-89ab-cdef-0123456789ab"
TIMES = 60


@pytest.mark.covers("G26")
async def test_every_append_of_another_is_noticed_before_the_safety_net_looks(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    here, there = SqliteJournal(path), SqliteJournal(path)
    start = opening("A")
    there.append(STREAM, 0, start, {})
    seen = asyncio.Queue[int]()

    async def listen() -> None:
        mark, last = 0, 0
        async with aclosing(changes(here.files)) as notices:
            async for _ in notices:
                # As the conductor does: what did not change, as far as can be seen, is not read.
                if (now := here.change_mark()) != mark:
                    mark = now
                    for seq, _ in here.read(STREAM, last):
                        last = seq
                        seen.put_nowait(seq)

    listening = asyncio.create_task(listen())
    try:
        async with asyncio.timeout(SAFETY_NET - 5):
            while await seen.get() < len(start):
                pass
            for place in range(TIMES):
                after = len(start) + place
                await asyncio.sleep(0.03)  # so that it looks at once when it is told, and not a moment later
                await asyncio.to_thread(there.append, STREAM, after, [e.ParallelChanged(AT, 2)], {})
                assert await seen.get() == after + 1
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        here.close()
        there.close()
