"""Noticing changes of real files, told by the kernel or by looking."""

import asyncio
import gc
import os
import sqlite3
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from toryo.adapters import watching

NEVER = 60.0
HAS_INOTIFY = sys.platform == "linux"


@pytest.fixture(params=["told", "looking"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "looking":
        monkeypatch.setattr(watching, "_instance_of", no_instance)
    elif not HAS_INOTIFY:
        pytest.skip("needs inotify")
    return str(request.param)


@pytest.fixture(autouse=True)
def no_descriptor_is_left() -> Iterator[None]:
    yield
    gc.collect()
    assert inotify_descriptors() == []


def no_instance(loop: asyncio.AbstractEventLoop) -> watching._Inotify:
    raise OSError(24, "too many")


def inotify_descriptors() -> list[str]:
    found = Path("/proc/self/fd").iterdir() if HAS_INOTIFY else ()
    return [link.name for link in found if "inotify" in os.path.realpath(link)]


async def soon(changes: AsyncGenerator[None, None]) -> None:
    async with asyncio.timeout(10):
        await anext(changes)


async def never(changes: AsyncGenerator[None, None], seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await anext(changes)
    except TimeoutError:
        return True
    return False


async def test_it_yields_at_once_and_on_every_kind_of_change(tmp_path: Path, way: str) -> None:
    path = tmp_path / "file"
    async with aclosing(watching.changes([path], at_least_every=NEVER)) as changes:
        await soon(changes)
        path.write_text("a")
        await soon(changes)
        with path.open("a") as file:
            file.write("b")
        await soon(changes)
        (tmp_path / "new").write_text("other")
        (tmp_path / "new").rename(path)
        await soon(changes)
        path.unlink()
        await soon(changes)


async def test_a_folder_may_come_to_be_later_and_anew(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a/b/c/file"
    async with aclosing(watching.changes([path], at_least_every=NEVER)) as changes:
        await soon(changes)
        for _ in range(2):
            path.parent.mkdir(parents=True)
            path.write_text("x")
            while not path.exists():
                await soon(changes)
            await soon(changes)
            with path.open("a") as file:
                file.write("more")
            await soon(changes)
            path.unlink()
            for folder in list(path.parents)[:3]:
                folder.rmdir()
            await soon(changes)


async def test_a_link_shows_what_happens_to_its_target(tmp_path: Path, way: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere/target"
    (tmp_path / "link").symlink_to(target)
    async with aclosing(watching.changes([tmp_path / "link"], at_least_every=NEVER)) as changes:
        await soon(changes)
        target.write_text("x")
        await soon(changes)
        with target.open("a") as file:
            file.write("more")
        await soon(changes)


async def test_bursts_are_one_and_neighbours_are_nobodys_business(tmp_path: Path, way: str) -> None:
    path = tmp_path / "file"
    path.write_text("")
    changes = watching.changes([path], at_least_every=NEVER)
    async with aclosing(changes):
        await soon(changes)
        for _ in range(1000):
            with path.open("a") as file:
                file.write("x")
        await soon(changes)
        (tmp_path / "neighbour").write_text("x")
        assert await never(changes, 0.4)


async def test_writing_without_end_does_not_wake_for_each_write(tmp_path: Path) -> None:
    path = tmp_path / "file"
    seen = writes = 0

    async def write() -> None:
        nonlocal writes
        with path.open("a", buffering=1) as file:
            while True:
                file.write("line\n")
                writes += 1
                await asyncio.sleep(0)

    writing = asyncio.create_task(write())
    began = time.monotonic()
    async with aclosing(watching.changes([path], at_least_every=NEVER)) as changes:
        async for _ in changes:
            seen += 1
            if seen == 20:
                break
    writing.cancel()
    assert time.monotonic() - began > 0.3 and writes > 200


async def test_who_looks_at_a_journal_wakes_nobody(tmp_path: Path, way: str) -> None:
    """SQLite, run by root, gives the log its owner anew at every look: nobody may look again because of that."""
    journal = tmp_path / "journal.db"
    with closing(sqlite3.connect(journal)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE events (body TEXT)")
        log = tmp_path / "journal.db-wal"
        async with aclosing(watching.changes([journal, log], at_least_every=NEVER)) as changes:
            await soon(changes)
            writer.execute("INSERT INTO events VALUES ('told')")
            writer.commit()
            await soon(changes)
            os.chown(log, os.getuid(), os.getgid())
            with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True)) as reader:
                assert reader.execute("SELECT body FROM events").fetchall() == [("told",)]
            assert await never(changes, 0.3)


async def test_the_safety_net_yields_though_nothing_happened(tmp_path: Path, way: str) -> None:
    began = time.monotonic()
    async with aclosing(watching.changes([tmp_path / "file"], at_least_every=0.1)) as changes:
        for _ in range(3):
            await soon(changes)
    assert 0.19 < time.monotonic() - began < 5


@pytest.mark.skipif(not HAS_INOTIFY, reason="needs inotify")
async def test_a_change_is_told_and_not_waited_for(tmp_path: Path) -> None:
    delays = []
    async with aclosing(watching.changes([tmp_path / "file"], at_least_every=NEVER)) as changes:
        await soon(changes)
        for _ in range(10):
            await asyncio.sleep(0.05)
            began = time.monotonic()
            (tmp_path / "file").touch()
            await soon(changes)
            delays.append(time.monotonic() - began)
    assert sorted(delays)[5] < watching._POLL_EVERY / 2


@pytest.mark.skipif(not HAS_INOTIFY, reason="needs inotify")
async def test_hundreds_share_one_descriptor(tmp_path: Path) -> None:
    async def count(number: int) -> int:
        path = tmp_path / f"{number % 30}/file{number}"
        async with aclosing(watching.changes([path], at_least_every=NEVER)) as changes:
            await anext(changes)
            await started.wait()
            await anext(changes)
        return 1

    started = asyncio.Event()
    tasks = [asyncio.create_task(count(number)) for number in range(300)]
    await asyncio.sleep(0)
    assert len(inotify_descriptors()) == 1
    started.set()
    for number in range(300):
        path = tmp_path / f"{number % 30}/file{number}"
        path.parent.mkdir(exist_ok=True)
        path.touch()
    async with asyncio.timeout(30):
        assert sum(await asyncio.gather(*tasks)) == 300
    assert inotify_descriptors() == []


@pytest.mark.skipif(not HAS_INOTIFY, reason="needs inotify")
async def test_when_no_more_watches_are_to_be_had_it_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(self: object, watch: object, spot: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(watching._Inotify, "listen", none_left)
    async with aclosing(watching.changes([tmp_path / "file"], at_least_every=NEVER)) as changes:
        await soon(changes)
        (tmp_path / "file").touch()
        await soon(changes)


async def test_cancelling_lets_go(tmp_path: Path) -> None:
    async def watch() -> None:
        async for _ in watching.changes([tmp_path / "file"], at_least_every=NEVER):
            started.set()

    started = asyncio.Event()
    task = asyncio.create_task(watch())
    await started.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    gc.collect()
    await asyncio.sleep(0.01)
    assert inotify_descriptors() == []


def test_a_loop_that_is_closed_leaves_nothing(tmp_path: Path) -> None:
    async def leave_it() -> None:
        changes = watching.changes([tmp_path / "file"])
        await anext(changes)
        kept.append(changes)

    kept: list[AsyncGenerator[None, None]] = []
    asyncio.run(leave_it())
    assert inotify_descriptors() == []
    # Not even if its generators are not shut down.
    loop = asyncio.new_event_loop()
    loop.run_until_complete(leave_it())
    assert len(inotify_descriptors()) == HAS_INOTIFY
    loop.close()
    kept.clear()
    del loop
