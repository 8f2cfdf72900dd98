"""One conductor per repository: a kernel lock that death itself releases."""

import fcntl
import os
from pathlib import Path
from typing import NamedTuple


class Busy(Exception):
    """Somebody else is conducting; `pid` says who, if it is known."""

    def __init__(self, pid: int | None) -> None:
        super().__init__(f"held by process {pid}")
        self.pid = pid


class Held(NamedTuple):
    """Who has a lease, and what for, as far as it is known."""

    pid: int | None
    purpose: str = ""


class Lease:
    """Held while the object is open. Git commands inherit it, so it outlives us by exactly their end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    @property
    def fd(self) -> int:
        assert self._fd is not None, "the lease is not held"
        return self._fd

    def acquire(self) -> None:
        """Takes the lease or raises Busy."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _held(fd).pid
            os.close(fd)
            raise Busy(pid) from None
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd = fd

    def devote(self, purpose: str) -> None:
        """Says what it is held for; whoever looks can read it."""
        text = f"{os.getpid()} {purpose}\n".encode()
        os.pwrite(self.fd, text, 0)
        os.ftruncate(self.fd, len(text))

    def release(self) -> None:
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None


def holder(path: Path) -> int | None:
    """The pid of the conductor at work, or None; takes nothing."""
    held = look(path)
    return held.pid if held else None


def look(path: Path) -> Held | None:
    """Who has the lease; None: nobody. Whoever looks keeps others from taking it for an instant."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _held(fd)
    else:
        return None
    finally:
        os.close(fd)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _held(fd: int) -> Held:
    pid, _, purpose = os.pread(fd, 256, 0).decode(errors="replace").partition("\n")[0].partition(" ")
    return Held(int(pid) if pid.isdecimal() else None, purpose.strip())
