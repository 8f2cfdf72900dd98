"""Runs as detached processes on this machine: nothing to attach to, nothing else needed."""

import asyncio
import errno
import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from toryo.adapters import children, processes
from toryo.ports import Ended, Launch

WRAPPER = Path(__file__).with_name("wrap.sh")

_LEFTOVER_GRACE = 1.0
_KILLING_TIME = 10.0
_CLAIM_PATIENCE = 2.0


class HeadlessHost:
    """Starts wrap.sh in a session of its own; all that is known is in the record, so any host can go on."""

    def __init__(self) -> None:
        self._lookout = _Lookout()

    async def start(self, launch: Launch) -> int:
        """The wrapper's pid; 0 if it was started but is gone without having told (waiting says: lost)."""
        record = launch.directory.resolve()
        if _is_claimed(record):
            return await _wrapper(record) or 0
        children.adopt_orphans()
        pid = _spawn(launch, record)
        await _claimed(record, pid)
        winner = await _wrapper(record)
        if winner != pid:
            await processes.wait_for_exit(pid)
            children.reap(pid, record)
        if not _is_claimed(record):
            raise OSError(errno.EIO, "the wrapper ended before it could note its pid", str(record))
        return winner or 0

    async def wait(self, directory: Path) -> Ended | None:
        record = directory.resolve()
        wrapper = await _wrapper(record)
        if wrapper is None:
            return _exit_record(record, await self._end_tree(record, None, _LEFTOVER_GRACE))
        seen = _look_at_wrapper(wrapper, record)
        if seen:
            await processes.wait_for_exit(wrapper, lambda: _look_at_wrapper(wrapper, record) == seen)
        is_clean = children.reap(wrapper, record) and not children.may_have_left_something(wrapper)
        reaped = 0 if is_clean else await self._end_tree(record, wrapper, _LEFTOVER_GRACE, seen)
        children.reap_orphans()
        return _exit_record(record, reaped)

    def has_ended(self, directory: Path) -> bool:
        return (directory / "exit").exists()

    async def stop(self, directory: Path, grace: float) -> Ended | None:
        record = directory.resolve()
        wrapper = await _wrapper(record)
        if wrapper is None:
            return _exit_record(record, await self._end_tree(record, None, grace))
        reaped = await self._end_tree(record, wrapper, grace, _look_at_wrapper(wrapper, record))
        return _exit_record(record, reaped)

    async def _end_tree(
        self, record: Path, wrapper: int | None, grace: float, seen: processes.Process | None = None
    ) -> int:
        """Ends all but the wrapper, which ends by itself once it has recorded how its command ended.

        Each process is asked once. Those that appear later are asked only when all asked before are gone, so
        that one which clears up on being asked can use other programs for it. How many there were besides the
        command itself.
        """
        deadline = time.monotonic() + grace
        asked: set[processes.Process] = set()
        is_swept = seen is None
        while (left := deadline - time.monotonic()) > -_KILLING_TIME:
            census = await self._lookout.census()
            found = census.members(record, wrapper, was_seen=seen is not None)
            if not found:
                # Once more after a blow at the group, in case it forks faster than one can look.
                _collect(asked, seen, record)
                if is_swept or not (seen and children.kill_group(seen)):
                    break
                is_swept = True
                continue
            others = [process for process in found if process.pid != wrapper]
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


# ── starting ─────────────────────────────────────────────────────────────────


def _is_claimed(record: Path) -> bool:
    return (record / "pid").exists() or (record / "exit").exists()


def _spawn(launch: Launch, record: Path) -> int:
    if not launch.cwd.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the working directory does not exist", str(launch.cwd))
    if launch.stdin and not launch.stdin.is_file():
        raise FileNotFoundError(errno.ENOENT, "the file for standard input does not exist", str(launch.stdin))
    record.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write_launch(launch, record)
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


def _write_launch(launch: Launch, record: Path) -> None:
    content = {
        "argv": launch.argv,
        "cwd": str(launch.cwd),
        "env": sorted(launch.env),  # names only: values are secrets as often as not
        "started_by": os.getpid(),
    }
    # Written whole or not at all does not matter here: whoever comes second writes the same again.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with os.fdopen(os.open(record / "launch.json", flags, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(content))


async def _claimed(record: Path, pid: int) -> None:
    """Waits the few milliseconds until the wrapper has noted its pid, or has left because another one had."""
    pause = 0.0005
    while _noted_pid(record) is None and (found := processes.look_at(pid)) and not found.is_zombie:
        await asyncio.sleep(pause)
        pause = min(pause * 1.2, 0.02)


# ── reading the record ───────────────────────────────────────────────────────


def _noted_pid(record: Path) -> int | None:
    try:
        pid = int((record / "pid").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return pid if pid > 1 else None


async def _wrapper(record: Path) -> int | None:
    """The noted pid; between claiming and noting the file is empty, after a power cut it stays so."""
    give_up = time.monotonic() + _CLAIM_PATIENCE
    is_open = (record / "pid").exists
    while (pid := _noted_pid(record)) is None and is_open() and time.monotonic() < give_up:
        await asyncio.sleep(0.005)
    return pid


def _look_at_wrapper(pid: int, record: Path) -> processes.Process | None:
    """The process of that pid if it is the record's wrapper, and not one that has its pid now."""
    is_wrapper = children.is_expected(pid, record) or processes.record_of(pid) == str(record)
    return processes.look_at(pid) if is_wrapper else None


def _exit_record(record: Path, reaped: int) -> Ended | None:
    """What the wrapper, now gone, recorded; a file not yet moved counts too, if it is complete."""
    for name in ("exit", "exit.tmp"):
        path = record / name
        try:
            code = json.loads(path.read_bytes())["code"]
            return Ended(int(code), path.stat().st_mtime, reaped)
        except (OSError, ValueError, TypeError, KeyError):
            continue
    return None


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
