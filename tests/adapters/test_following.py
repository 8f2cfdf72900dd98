"""Reading along in real files."""

import asyncio
import gc
import resource
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from toryo.adapters.hosts import following
from toryo.adapters.hosts.following import follow
from toryo.adapters.hosts.headless import HeadlessHost

Batches = AsyncGenerator[Sequence[str], None]


async def until_waiting(batches: Batches) -> list[str]:
    """All lines up to the empty batch."""
    lines: list[str] = []
    async with asyncio.timeout(60):
        while batch := await anext(batches):
            lines += batch
    return lines


async def stays_silent(batches: Batches, seconds: float = 0.3) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await anext(batches)
    except TimeoutError:
        return True
    return False


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


async def test_lines_come_whole_and_an_empty_batch_when_it_waits(tmp_path: Path) -> None:
    path = tmp_path / "file"
    async with aclosing(follow([path])) as batches:
        assert await until_waiting(batches) == []
        append(path, b"one\ntwo\r\n\n  th")
        assert await until_waiting(batches) == ["one", "two", ""]
        append(path, b"ree \xe6\xa3\x9f\xff\n")
        assert await until_waiting(batches) == ["  three 棟\ufffd"]
        append(path, b"\xe6")
        append(path, b"\xa3\x9f\n\ncr\rwithin\n")
        assert await until_waiting(batches) == ["棟", "", "cr\rwithin"]


async def test_what_is_not_a_line_yet_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    async with aclosing(follow([path])) as batches:
        assert await until_waiting(batches) == []
        append(path, b"half a l")
        assert await stays_silent(batches)


async def test_several_files_each_in_its_order(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b", "later/c")]
    append(paths[0], b"".join(b"a%d\n" % number for number in range(1000)))
    append(paths[1], b"".join(b"b%d\n" % number for number in range(1000)))
    async with aclosing(HeadlessHost().follow(paths)) as batches:
        lines = await until_waiting(batches)
        assert [line for line in lines if line[0] == "a"] == [f"a{number}" for number in range(1000)]
        assert [line for line in lines if line[0] == "b"] == [f"b{number}" for number in range(1000)]
        paths[2].parent.mkdir()
        append(paths[2], b"c\n")
        assert await until_waiting(batches) == ["c"]


@pytest.mark.covers("B2")
async def test_a_replaced_and_a_shortened_file_begin_anew(tmp_path: Path) -> None:
    path = tmp_path / "file"
    append(path, b"old\nhalf")
    async with aclosing(follow([path])) as batches:
        assert await until_waiting(batches) == ["old"]
        append(tmp_path / "new", b"new and longer\n")
        (tmp_path / "new").rename(path)
        assert await until_waiting(batches) == ["new and longer"]
        path.write_bytes(b"short\n")
        assert await until_waiting(batches) == ["short"]


async def test_a_live_writer_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    program = "import sys\nfor n in range(200_000): print(n, flush=n % 7 == 0)"
    lines: list[str] = []
    with path.open("wb") as out:
        writer = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=out)
        async with asyncio.timeout(60), aclosing(follow([path])) as batches:
            async for batch in batches:
                lines += batch
                if len(lines) >= 200_000:
                    break
        await writer.wait()
    assert lines == [str(number) for number in range(200_000)]


async def test_huge_files_come_in_pieces_and_let_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "file"
    line = b"x" * 999 + b"\n"
    append(path, line * 50_000)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    sizes = []
    async with aclosing(follow([path])) as batches:
        while batch := await anext(batches):
            sizes.append(sum(map(len, batch)))
    other.cancel()
    assert sum(sizes) == 50_000 * 999 and max(sizes) <= following.CHUNK + 1000 and turns > 100


async def test_an_endless_line_is_cut_and_the_next_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"y" * 1024 * 1024)
        file.write(b"\nnext\n")
    async with aclosing(follow([path])) as batches:
        long, following_line = await until_waiting(batches)
    assert (len(long), following_line) == (following.LONGEST_LINE, "next")
    if sys.platform == "linux":
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000


async def test_stopping_leaves_no_descriptor(tmp_path: Path) -> None:
    append(tmp_path / "file", b"line\n")
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        async with aclosing(follow([tmp_path / "file"])) as batches:
            await anext(batches)
    gc.collect()
    assert len(list(Path("/dev/fd").iterdir())) == before
