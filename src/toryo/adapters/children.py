"""The children of this process: wrappers it started, and orphans of their runs that it adopts."""

import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from toryo.adapters.processes import Process, look_at, read_proc

_PR_SET_CHILD_SUBREAPER = 36

# Children belong to the whole process, so what is known of them does too.
_wrappers: dict[int, Path] = {}


@cache
def adopt_orphans() -> bool:
    """Makes orphans of our children ours instead of init's, so that leftovers are seen without a search."""
    if sys.platform != "linux" or not Path("/proc/thread-self/children").exists():
        return False  # unseen they would pile up
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def expect(pid: int, record: Path) -> None:
    """Notes a child of ours as the wrapper of a record; it is reaped by `reap` only."""
    _wrappers[pid] = record


def is_expected(pid: int, record: Path) -> bool:
    return _wrappers.get(pid) == record


def reap(pid: int, record: Path) -> bool:
    """Collects an ended wrapper; whether it was a child of ours that nobody had collected before."""
    if not is_expected(pid, record):
        return False
    try:
        was_collected = os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        del _wrappers[pid]
        return False
    if was_collected:
        del _wrappers[pid]
    return was_collected


def reap_orphans(seen: Iterable[Process] = ()) -> None:
    """Collects ended children of ours that stem from a run: those seen in it, and whoever can be told to.

    The others are left alone: somebody may be about to ask for their status.
    """
    known = set(seen)
    for child in _unknown_children() or ():
        if child.is_zombie and (child in known or _is_orphan(child)):
            with suppress(ChildProcessError):
                os.waitpid(child.pid, os.WNOHANG)


def _is_orphan(child: Process) -> bool:
    # What we start ourselves is in our session or leads its own, and the kernel prizes it as it does us;
    # what a wrapper starts it prizes less. Either may fail to tell: double forks, a score at its limit.
    if child.session not in (os.getsid(0), child.pid):
        return True
    try:
        return read_proc(f"/proc/{child.pid}/oom_score_adj") != read_proc("/proc/self/oom_score_adj")
    except OSError:
        return False


def kill_group(wrapper: Process) -> bool:
    """Kills what is left of an ended wrapper's group at one blow; whether there was anything at all."""
    # A group's number is no new process's pid: if another one has it, the wrapper's group is gone.
    now = look_at(wrapper.pid)
    if now is None or (now == wrapper and now.is_zombie):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(wrapper.pid, signal.SIGKILL)
            return True
    return False


def may_have_left_something(wrapper: int) -> bool:
    """After the wrapper, a child of ours, was reaped: whether a search for leftovers is worth it."""
    try:
        os.killpg(wrapper, 0)
    except PermissionError:
        return True
    except ProcessLookupError:
        unknown = _unknown_children()
        # Who is in our own session was never in a run's: git commands under way say nothing about leftovers.
        own = os.getsid(0)
        return unknown is None or any(not child.is_zombie and child.session != own for child in unknown)
    return True


def _unknown_children() -> list[Process] | None:
    """Children that are not wrappers: orphans, or somebody else's; None if orphans do not become ours."""
    if not adopt_orphans():
        return None
    return [child for pid in _children() - _wrappers.keys() if (child := look_at(pid))]


def _children() -> set[int]:
    found: set[int] = set()
    for thread in os.listdir("/proc/self/task"):  # noqa: PTH208 — names are all that is wanted
        with suppress(FileNotFoundError):  # the thread has ended, its children are another one's now
            found.update(int(pid) for pid in read_proc(f"/proc/self/task/{thread}/children").split())
    return found
