"""Writing files that others write at the same moment: whole or not at all, and nobody's words are lost."""

import errno
import fcntl
import hashlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

from toryo.adapters.replacing import sync_folder

_AT_FDCWD, _EXCHANGE = -100, 2
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)
_PATIENCE = 5.0
"""Seconds for whoever has the file open for writing to close it."""


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One process, and one thread, at a time; death itself ends it."""
    lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def is_being_written(path: Path) -> bool:
    """Whether somebody has it open for writing, as far as the kernel tells."""
    try:
        with _opened(path) as file:
            return not _keep_writers_out(file.fileno())
    except OSError:
        return False


def _opened(path: Path) -> BinaryIO:
    """To be read; without waiting, if it is a pipe."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def _keep_writers_out(descriptor: int) -> bool:
    """Whoever opens the file for writing from here on waits until it is closed; False: somebody has it open already.

    The kernel grants a lease to nobody then. Where it knows no leases, or not of this file, it is taken for closed.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return True
    try:
        # Whoever has to wait for us has us told so, and by default that is a signal to die of.
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EWOULDBLOCK)
    return True


def attempts() -> Iterator[None]:
    """One, and more where a person was faster; but who has the file open for writing all the time holds up nobody."""
    give_up = time.monotonic() + _PATIENCE
    yield
    while time.monotonic() < give_up:
        yield


def settled(path: Path) -> bytes:
    """What it holds while nobody is in the middle of writing it; raises OSError."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        with _opened(path) as file:
            if _keep_writers_out(file.fileno()) or time.monotonic() > give_up:
                return file.read()
        time.sleep(0.005)


def write_new(path: Path, content: bytes) -> bool:
    """Durably; False, and nothing changed, where there is something of that name. Raises OSError."""
    beside = _written_beside(path, content)
    try:
        os.link(beside, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        return _write_new_without_links(path, content)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def _write_new_without_links(path: Path, content: bytes) -> bool:
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        return False
    return True


def swap(path: Path, old: bytes, new: bytes) -> bool:
    """Puts `new` in the place of `old`, durably; False where the file was changed meanwhile: it is as it was then.

    Between looking and replacing somebody may save. So the two files change places, and what came out is looked at: if
    that is not what was expected, it is put back. Only one process at a time may do so. Raises OSError.
    """
    beside = _written_beside(path, new)
    try:
        shutil.copymode(path, beside)
        aside = path.with_name(f".{path.name}.{_digest(old)}.{_digest(new)}.swap")
        beside.replace(aside)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    # Whatever goes wrong from here on, it is left for `bring_back`: it may hold what a person has just saved.
    if not _exchange(aside, path):
        return _replace_if_same(aside, path, old)
    is_done = _is_out(aside, old)
    if not is_done:
        _put_back(aside, path, new)
    sync_folder(path.parent)
    aside.unlink()
    return is_done


def _is_out(aside: Path, expected: bytes) -> bool:
    """What came out is what was expected, and nobody is about to write into it."""
    return not is_being_written(aside) and aside.read_bytes() == expected


def _put_back(aside: Path, path: Path, placed: bytes) -> None:
    """What came out goes in again; whoever saved once more in between goes before who saved earlier."""
    while True:
        out = aside.read_bytes()
        _exchange(aside, path)
        if aside.read_bytes() == placed:
            return
        placed = out


def _replace_if_same(aside: Path, path: Path, old: bytes) -> bool:
    """Where two files cannot change places; an instant remains in which somebody may save."""
    if is_being_written(path) or path.read_bytes() != old:
        aside.unlink()
        return False
    aside.replace(path)
    sync_folder(path.parent)
    return True


def bring_back(path: Path) -> None:
    """After a death in the middle of a swap: what a person had saved at that moment, if anything, goes back.

    Only for who is alone. The name of what is left says what went in and what was to come out.
    """
    for aside in path.parent.glob(f".{_literal(path.name)}.*.swap"):
        old, new = aside.name.split(".")[-3:-1]
        with suppress(OSError):
            is_theirs = _digest(aside.read_bytes()) not in (old, new)
            if is_theirs and path.exists() and (_digest(path.read_bytes()) == new or _is_newer(aside, path)):
                _exchange(aside, path)
            aside.unlink()
    for beside in path.parent.glob(f".{_literal(path.name)}.*-*"):
        writer = beside.name.removeprefix(f".{path.name}.").partition("-")[0]
        if writer.isdecimal() and not _is_alive(int(writer)):  # ours, and never got to its place
            with suppress(OSError):
                beside.unlink()


def _is_newer(aside: Path, path: Path) -> bool:
    """Of two that a person saved, one while the other was being put back: whether it is the later one."""
    return aside.stat().st_mtime_ns > path.stat().st_mtime_ns


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _literal(name: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in name)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _written_beside(path: Path, content: bytes) -> Path:
    beside = path.with_name(f".{path.name}.{os.getpid()}-{time.monotonic_ns()}")
    try:
        with beside.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _exchange(one: Path, other: Path) -> bool:
    """Both change places at once; False where that cannot be done here. Raises OSError."""
    rename = _renameat2()
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    import ctypes

    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))


@cache
def _renameat2() -> Callable[..., int] | None:
    if sys.platform != "linux":
        return None
    import ctypes  # only who writes needs it

    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
