"""Runs as detached processes on this machine: nothing to attach to, nothing else needed."""

import asyncio
import errno
import os
import signal
import subprocess
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path

from toryo.adapters import children, processes
from toryo.adapters.hosts import records
from toryo.adapters.hosts.following import follow
from toryo.adapters.maskedfiles import is_small, mask_record
from toryo.ports import Ended, Launch

WRAPPER = Path(__file__).with_name("wrap.sh")

_LEFTOVER_GRACE = 1.0
_KILLING_TIME = 10.0


class HeadlessHost:
    """Starts wrap.sh in a session of its own; all that is known is in the record, so any host can go on."""

    def __init__(self) -> None:
        self._lookout = _Lookout()

    async def start(self, launch: Launch) -> int:
        """The wrapper's pid; 0 if it was started but is gone without having told (waiting says: lost)."""
        record = launch.directory.resolve()
        if records.is_claimed(record):
            return await records.wrapper(record) or 0
        children.adopt_orphans()
        pid = _spawn(launch, record)
        await records.claimed(record, pid)
        winner = await records.wrapper(record)
        if winner != pid:
            await processes.wait_for_exit(pid)
            children.reap(pid, record)
        if not records.is_claimed(record):
            raise OSError(errno.EIO, "the wrapper ended before it could note its pid", str(record))
        return winner or 0

    async def wait(self, directory: Path) -> Ended | None:
        record = directory.resolve()
        wrapper = await records.wrapper(record)
        if wrapper is None:
            return records.exit_record(record, await self._end_tree(record, None, _LEFTOVER_GRACE))
        seen = records.look_at_wrapper(wrapper, record)
        if seen:
            await processes.wait_for_exit(wrapper, lambda: records.look_at_wrapper(wrapper, record) == seen)
        is_clean = children.reap(wrapper, record) and not children.may_have_left_something(wrapper)
        reaped = 0 if is_clean else await self._end_tree(record, wrapper, _LEFTOVER_GRACE, seen)
        children.reap_orphans()
        return records.exit_record(record, reaped)

    def has_ended(self, directory: Path) -> bool:
        return (directory / "exit").exists()

    async def mask_record(self, directory: Path) -> None:
        if is_small(directory):
            mask_record(directory)
        else:  # in a thread: other runs go on meanwhile
            await asyncio.to_thread(mask_record, directory)

    def follow(self, files: Sequence[Path]) -> AsyncGenerator[Sequence[str], None]:
        return follow(files)

    async def stop(self, directory: Path, grace: float) -> Ended | None:
        record = directory.resolve()
        wrapper = await records.wrapper(record)
        if wrapper is None:
            return records.exit_record(record, await self._end_tree(record, None, grace))
        reaped = await self._end_tree(record, wrapper, grace, records.look_at_wrapper(wrapper, record))
        return records.exit_record(record, reaped)

    async def _end_tree(
        self, record: Path, wrapper: int | None, grace: float, seen: processes.Process | None = None
    ) -> int:
        """Ends all but the wrapper, which ends by itself once it has recorded how its command ended.

        On a terminal the session is led by another process, which ends by itself once the wrapper has.
        Each process is asked once. Those that appear later are asked only when all asked before are gone, so
        that one which clears up on being asked can use other programs for it. How many there were besides the
        command itself.
        """
        deadline = time.monotonic() + grace
        asked: set[processes.Process] = set()
        session = seen.session if seen else self._leader(record) or wrapper
        is_swept = seen is None or session != wrapper
        while (left := deadline - time.monotonic()) > -_KILLING_TIME:
            census = await self._lookout.census()
            found = census.members(record, session, was_seen=seen is not None)
            if not found:
                # Once more after a blow at the group, in case it forks faster than one can look.
                _collect(asked, seen, record)
                if is_swept or not (seen and children.kill_group(seen)):
                    break
                is_swept = True
                continue
            others = [process for process in found if process.pid not in (wrapper, session)]
            if left <= 0:
                _send(others, signal.SIGKILL)
            else:
                _send([process for process in others if process not in asked], signal.SIGTERM, signal.SIGCONT)
            asked.update(others)
            patience = left if left > 0 else 1.0
            await processes.wait_for_all(others or found, patience if others else 0.1)
        else:
            await _end_at_once(found)
        _collect(asked, seen, record)
        return sum(process.parent != wrapper for process in asked)

    def _leader(self, record: Path) -> int | None:  # noqa: ARG002 - for hosts where the wrapper does not lead its session
        """Who leads the session of a wrapper that has ended; None: the wrapper did."""
        return None


# ── starting ─────────────────────────────────────────────────────────────────


def _spawn(launch: Launch, record: Path) -> int:
    records.prepare(launch, record)
    stdin = launch.stdin.resolve() if launch.stdin else os.devnull
    try:
        wrapper = subprocess.Popen(
            ["/bin/sh", str(WRAPPER), str(record), str(stdin), *launch.argv],
            cwd=launch.cwd,
            env={**launch.env, processes.MARKER: str(record)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        number = getattr(error, "errno", None) or errno.EINVAL
        raise OSError(number, f"could not start {launch.argv[0]}: {reason}", str(launch.cwd)) from error
    children.expect(wrapper.pid, record)
    # Collected by pid: an object dropped while the run goes on, as it should, would warn about just that.
    wrapper.returncode = 0
    return wrapper.pid


# ── ending ───────────────────────────────────────────────────────────────────


class _Lookout:
    """Takes one census for all who ask for it while another one is being taken."""

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()
        self._next: asyncio.Task[processes.Census] | None = None

    async def census(self) -> processes.Census:
        """As it is after this was called, or later."""
        if self._next is None or self._next.done():
            self._next = asyncio.create_task(self._take())
        return await asyncio.shield(self._next)

    async def _take(self) -> processes.Census:
        async with self._one_at_a_time:
            self._next = None  # begins now: too early for whoever asks from here on
            return await asyncio.to_thread(processes.take_census)


def _collect(ended: set[processes.Process], wrapper: processes.Process | None, record: Path) -> None:
    if wrapper:
        children.reap(wrapper.pid, record)
    children.reap_orphans(ended | {wrapper} if wrapper else ended)


def _send(targets: list[processes.Process], *signals: signal.Signals) -> None:
    for process in targets:
        for signum in signals:
            process.send(signum)


async def _end_at_once(found: list[processes.Process]) -> None:
    """The last resort, at the price of the exit record: whole groups at a blow, which no forking outruns."""
    for process in found:
        # Only groups led by one of ours: the others may have members that are not.
        if process.group == process.pid and process.is_alive():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.group, signal.SIGKILL)
    _send(found, signal.SIGKILL)
    await processes.wait_for_all(found, 1.0)
