"""Programs that get so much time and no more."""

import asyncio
import os
from pathlib import Path

import pytest
from tests.support.repositories import until

from toryo.adapters.processes import look_at
from toryo.adapters.programs import OVERTIME, run_within


def _run(seconds: float, script: str, where: Path) -> tuple[int, str, str]:
    done = asyncio.run(run_within(seconds, ["sh", "-c", script], where, dict(os.environ), stdin=b"given\n"))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def _is_gone(pid: int) -> bool:
    found = look_at(pid)
    return found is None or found.is_zombie


def test_it_ends_by_itself_and_has_no_terminal(tmp_path: Path) -> None:
    assert _run(20, "cat; echo said >&2; exit 3", tmp_path) == (3, "given\n", "said\n")
    assert _run(20, "(: </dev/tty) 2>/dev/null || echo none", tmp_path)[1] == "none\n"


def test_when_its_time_is_over_it_is_ended_with_all_it_started(tmp_path: Path) -> None:
    code, out, err = _run(0.5, "sleep 60 & echo $!; echo before >&2; wait", tmp_path)
    assert (code, err) == (OVERTIME, "before\n\nno answer within 0.5 s")
    until(lambda: _is_gone(int(out)))


def test_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    mark = tmp_path / "pid"

    async def leave() -> None:
        waiting = asyncio.create_task(
            run_within(60, ["sh", "-c", f"sleep 60 & echo $! > {mark}; wait"], tmp_path, dict(os.environ))
        )
        while not (mark.exists() and mark.read_text().strip()):
            await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(leave())
    until(lambda: _is_gone(int(mark.read_text())))
