"""The processes of a run: finding all of them, seeing them end without polling, ending them."""

import asyncio
import errno
import os
import select
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from toryo.domain.facts import fact

MARKER = "TORYO_RECORD"
"""The environment variable by which a process is known to belong to the record directory it names."""

_POLL_EVERY = 0.05
_CENSUS_PASSES = 5
_SYS_PIDFD_OPEN = 434


@dataclass(frozen=True, slots=True)  # no fact: two of them are equal though fields differ
class Process:
    """A process as it was when looked at; pids are used again, so the start time is part of its identity."""

    pid: int
    started: float
    parent: int = field(compare=False)
    group: int = field(compare=False)
    session: int = field(compare=False)
    is_zombie: bool = field(compare=False)

    def is_alive(self) -> bool:
        now = look_at(self.pid)
        return now == self and now is not None and not now.is_zombie

    def send(self, signum: signal.Signals) -> None:
        """Signals this very process, not one that has its pid now."""
        if self.is_alive():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signum)


# ── looking ──────────────────────────────────────────────────────────────────


def look_at(pid: int) -> Process | None:
    return _look_in_proc(pid) if sys.platform == "linux" else _look_with_psutil(pid)


def record_of(pid: int) -> str | None:
    """The record directory a live process is marked with; a zombie has no environment any more."""
    if sys.platform == "linux":
        try:
            _, is_marked, rest = (b"\0" + read_proc(f"/proc/{pid}/environ")).partition(f"\0{MARKER}=".encode())
        except OSError:
            return None
        return os.fsdecode(rest.partition(b"\0")[0]) if is_marked else None
    import psutil

    try:
        return psutil.Process(pid).environ().get(MARKER)
    except (psutil.Error, OSError):
        return None


@fact
class Census:
    """All live processes at one time, but the one that asks and the first: they must survive the answer."""

    processes: Mapping[int, Process]
    records: Mapping[int, str | None]

    def members(self, record: Path, wrapper: int | None = None, *, was_seen: bool = False) -> list[Process]:
        """All of a record: the marked, the wrapper's session and group, and the descendants of either.

        `was_seen` says that the caller knows `wrapper` to have been this record's wrapper a moment ago. Else
        a session of that number counts only if the marker is in it: after a reboot it may be anybody's.
        """
        everyone, name = self.processes, str(record)
        roots = {pid for pid, marker in self.records.items() if marker == name}
        is_known = was_seen or any(wrapper == everyone[pid].session for pid in roots)
        if wrapper is not None and (wrapper in roots or (wrapper not in everyone and is_known)):
            roots |= {pid for pid, found in everyone.items() if wrapper in (found.session, found.group)}
        return [everyone[pid] for pid in sorted(self._with_descendants(roots))]

    def _with_descendants(self, roots: set[int]) -> set[int]:
        children: dict[int, list[int]] = {}
        for pid, found in self.processes.items():
            children.setdefault(found.parent, []).append(pid)
        reached: set[int] = set()
        ahead = list(roots)
        while ahead:
            pid = ahead.pop()
            if pid not in reached:
                reached.add(pid)
                ahead += children.get(pid, [])
        return reached


def take_census() -> Census:
    """Looks at all processes; milliseconds, so better not in the event loop."""
    looked_at = {1, os.getpid()}
    found: dict[int, Process] = {}
    records: dict[int, str | None] = {}
    # Processes started while looking are looked at soon after, else one that keeps forking could stay unseen.
    for _ in range(_CENSUS_PASSES):
        new = set(_pids()) - looked_at
        if not new:
            break
        looked_at |= new
        for pid in new:
            if (process := look_at(pid)) and not process.is_zombie:
                found[pid], records[pid] = process, record_of(pid)
    return Census(found, records)


def _pids() -> list[int]:
    if sys.platform == "linux":
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 — twice as fast
    import psutil

    return psutil.pids()


def _look_in_proc(pid: int) -> Process | None:
    try:
        stat = read_proc(f"/proc/{pid}/stat")
    except OSError:
        return None
    # The name stands in parentheses and may itself contain any character, parentheses and spaces too.
    state, parent, group, session, *rest = stat.rpartition(b")")[2].split()
    return Process(pid, float(rest[15]), int(parent), int(group), int(session), state in b"ZX")


def _look_with_psutil(pid: int) -> Process | None:
    import psutil

    try:
        found = psutil.Process(pid)
        is_zombie = found.status() == psutil.STATUS_ZOMBIE
        return Process(pid, found.create_time(), found.ppid(), os.getpgid(pid), os.getsid(pid), is_zombie)
    except (psutil.Error, OSError):
        return None


def read_proc(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(descriptor, 65536):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


# ── waiting ──────────────────────────────────────────────────────────────────


async def wait_for_exit(pid: int, only_if: Callable[[], bool] | None = None) -> None:
    """Returns once the process has ended; at once if there is none or `only_if` says it is not the one meant.

    `only_if` is asked after the process was taken hold of, so that another one cannot slip in between.
    """
    try:
        with _end_of(pid) as descriptor:
            if only_if is None or only_if():
                await _readable(descriptor)
    except ProcessLookupError:
        return
    except OSError:
        # No such facility, not allowed, or no descriptors left: slower, but still right.
        while (only_if is None or only_if()) and (found := look_at(pid)) and not found.is_zombie:
            await asyncio.sleep(_POLL_EVERY)


async def wait_for_all(processes: Iterable[Process], timeout: float) -> None:
    """Returns once all have ended, or after `timeout` seconds."""
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout):
            await asyncio.gather(*(wait_for_exit(process.pid, process.is_alive) for process in processes))


@contextmanager
def _end_of(pid: int) -> Iterator[int]:
    """A descriptor that becomes readable when the process ends, which need not be a child of ours."""
    if sys.platform == "linux":
        descriptor = _pidfd_open(pid)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
    elif hasattr(select, "kqueue"):
        queue = select.kqueue()
        try:
            flags = select.KQ_EV_ADD | select.KQ_EV_ONESHOT
            ends = select.kevent(pid, select.KQ_FILTER_PROC, flags, select.KQ_NOTE_EXIT)
            queue.control([ends], 0)
            yield queue.fileno()
        finally:
            queue.close()
    else:
        raise OSError(errno.ENOSYS, "no event tells that a process ended", sys.platform)


def _pidfd_open(pid: int) -> int:
    if sys.platform == "linux" and hasattr(os, "pidfd_open"):
        return os.pidfd_open(pid)
    # Portable builds of Python are made with headers too old to know the call their kernel has.
    import ctypes

    descriptor = ctypes.CDLL(None, use_errno=True).syscall(_SYS_PIDFD_OPEN, pid, 0)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "pidfd_open")
    return int(descriptor)


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
