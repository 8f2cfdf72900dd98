"""Noticing that files change, without looking at them over and over where the kernel can tell."""

import asyncio
import ctypes
import errno
import os
import struct
import sys
import time
import weakref
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

SAFETY_NET = 20.0
"""So many seconds at most until one looks again: a missed event must not hang anything."""

_POLL_EVERY = 0.25
_AT_MOST_EVERY = 0.02

_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _ONLYDIR = 0x400, 0x800, 0x0100_0000
_MASK = _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLYDIR
_EVENT = struct.Struct("iIII")
_OWNED_ANEW = "-wal"
"""How the names end of what SQLite, run by root, gives its owner anew whenever it opens it. Nothing is written then;
and whoever opened it to look, because of that, would never stop looking."""


ANY = "*"
"""As the last part of a path: whatever is in that folder."""


async def changes(paths: Sequence[Path], *, at_least_every: float = SAFETY_NET) -> AsyncGenerator[None, None]:
    """Yields at once, and again whenever one of the files, which need not exist yet, may have changed."""
    targets = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100 — links are to be seen changing too
    watch = _Watch()
    with _share_of_instance() as instance:
        try:
            while True:
                watch.changed.clear()
                notices = instance is not None and _arm(instance, watch, targets)
                before = [] if notices else _looks(targets)
                began = time.monotonic()
                yield
                # What changes from here on is noticed, even while the one who asked is still looking.
                if notices:
                    await _wait(watch.changed, at_least_every)
                else:
                    await _poll(targets, before, at_least_every)
                # A program that writes line by line shall not wake us for each one.
                if (early := began + _AT_MOST_EVERY - time.monotonic()) > 0:
                    await asyncio.sleep(early)
        finally:
            if instance is not None:
                instance.release(watch)


async def _wait(changed: asyncio.Event, timeout: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout):
            await changed.wait()


# ── looking ──────────────────────────────────────────────────────────────────


async def _poll(targets: Sequence[Path], before: list[object], timeout: float) -> None:
    give_up = time.monotonic() + timeout
    while _looks(targets) == before and (left := give_up - time.monotonic()) > 0:
        await asyncio.sleep(min(_POLL_EVERY, left))


def _looks(targets: Sequence[Path]) -> list[object]:
    return [_look(path) for path in targets]


def _look(path: Path) -> object:
    if path.name == ANY:
        with suppress(OSError):
            return sorted((entry.name, _look(Path(entry.path))) for entry in os.scandir(path.parent))
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


# ── being told ───────────────────────────────────────────────────────────────

_Spot = tuple[Path, str]
"""A folder, and the name in it that matters."""


class _Watch:
    """What one caller wants to be told."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.spots: dict[_Spot, int] = {}


class _Inotify:
    """The kernel's messenger: one for all callers of an event loop, because a user may have only 128."""

    def __init__(self) -> None:
        # The same flags as for open, by definition.
        self.descriptor = _libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.users = 0
        # In case the loop goes away without letting its generators finish.
        self.close = weakref.finalize(self, os.close, self.descriptor)
        self._listeners: dict[int, set[tuple[str, _Watch]]] = {}

    def listen(self, watch: _Watch, spot: _Spot) -> None:
        """Also again: a folder made anew under its old name is another one."""
        folder, name = spot
        number = _libc().inotify_add_watch(self.descriptor, os.fsencode(folder), _MASK)
        if number < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))
        if watch.spots.get(spot, number) != number:
            self.ignore(watch, spot)
        watch.spots[spot] = number
        self._listeners.setdefault(number, set()).add((name, watch))

    def ignore(self, watch: _Watch, spot: _Spot) -> None:
        number, name = watch.spots.pop(spot), spot[1]
        # One folder under two names has one number: the entry may be another spot's too.
        if any((other[1], found) == (name, number) for other, found in watch.spots.items()):
            return
        listeners = self._listeners.get(number, set())
        listeners.discard((name, watch))
        if not listeners and self._listeners.pop(number, None) is not None:
            _libc().inotify_rm_watch(self.descriptor, number)

    def release(self, watch: _Watch) -> None:
        for spot in list(watch.spots):
            self.ignore(watch, spot)

    def tell(self) -> None:
        """Passes on what the kernel has to say."""
        with suppress(BlockingIOError):
            message = os.read(self.descriptor, 65536)
            at = 0
            while at < len(message):
                number, what, _, length = _EVENT.unpack_from(message, at)
                at += _EVENT.size + length
                name = os.fsdecode(message[at - length : at].rstrip(b"\0"))
                if not (what & _ATTRIB and name.endswith(_OWNED_ANEW)):
                    self._tell(number, name)

    def _tell(self, number: int, name: str) -> None:
        # No folder: too much happened to be told. No name: it happened to the folder itself.
        affected = [self._listeners.get(number, set())] if number >= 0 else list(self._listeners.values())
        for wanted, watch in (listener for listeners in affected for listener in listeners):
            if not name or wanted in (name, ANY):
                watch.changed.set()


# Weak both ways: it is the loop that keeps its instance, so that they go together.
_instances: "weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, weakref.ref[_Inotify]]" = weakref.WeakKeyDictionary()


@contextmanager
def _share_of_instance() -> Iterator[_Inotify | None]:
    """The event loop's instance, closed with its last user; None if there is no such thing here."""
    loop = asyncio.get_running_loop()
    try:
        instance = _instance_of(loop)
    except OSError:
        yield None
        return
    instance.users += 1
    try:
        yield instance
    finally:
        instance.users -= 1
        if not instance.users and instance.close.alive:
            _instances.pop(loop, None)
            if not loop.is_closed():
                loop.remove_reader(instance.descriptor)
            instance.close()


def _instance_of(loop: asyncio.AbstractEventLoop) -> _Inotify:
    known = _instances.get(loop)
    if known is None or (instance := known()) is None:
        instance = _Inotify()
        _instances[loop] = weakref.ref(instance)
        loop.add_reader(instance.descriptor, instance.tell)
    return instance


def _arm(instance: _Inotify, watch: _Watch, targets: Sequence[Path]) -> bool:
    """Listens wherever a change of the targets would show; whether that was possible."""
    # Again until nothing is new: a folder may have come to be between being looked for and being watched.
    for _ in range(20):
        wanted = {spot for path in targets for spot in _spots(path)}
        is_new = not wanted <= watch.spots.keys()
        try:
            for spot in wanted:
                instance.listen(watch, spot)
        except FileNotFoundError:
            continue
        except OSError:  # too many of them, or not allowed to look
            return False
        for spot in watch.spots.keys() - wanted:
            instance.ignore(watch, spot)
        if not is_new:
            return True
    return False


def _spots(path: Path) -> Iterator[_Spot]:
    for target in {path, Path(os.path.realpath(path))}:
        folder, name = target.parent, target.name
        while not folder.is_dir() and folder != folder.parent:
            folder, name = folder.parent, folder.name
        yield folder, name


@cache
def _libc() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "inotify is Linux's")
    return ctypes.CDLL(None, use_errno=True)
