"""Files that programs wrote, replaced by their masked form once nobody writes to them any more."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from toryo.rules.masking import Masker

_CHUNK = 1 << 18
_SMALL = 1 << 15
_DRAFT = ".masking"
_DONE = "masked"
"""Says that nothing in this record is as it was written any more."""
_FILES = ("output.log", "signals.jsonl", "prompt.md", "readable.log")


def mask_record(record: Path) -> None:
    """Masks all that a run left in its record directory; raises OSError where that cannot be."""
    there = _names(record)
    for name in there:
        if name.endswith(_DRAFT):
            (record / name).unlink(missing_ok=True)
    for name in _FILES:
        if name in there:
            mask_file(record / name)
    with suppress(FileNotFoundError, NotADirectoryError):
        os.close(os.open(record / _DONE, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def is_small(record: Path) -> bool:
    """Whether masking it takes no time to speak of."""
    try:
        with os.scandir(record) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries if entry.name in _FILES) < _SMALL
    except OSError:
        return True


def _names(record: Path) -> list[str]:
    try:
        return os.listdir(record)  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []


def is_masked(record: Path) -> bool:
    return (record / _DONE).exists()


def mask_file(path: Path) -> bool:
    """Replaces the file whole, if there is anything to mask; whether there was. Memory does not grow with it."""
    try:
        found = path.lstat()
    except OSError:
        return False
    if not stat.S_ISREG(found.st_mode) or not _has_secret(path):
        return False
    draft = path.with_name(path.name + _DRAFT)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            for text in _masked(path, Masker("surrogateescape")):
                file.write(text.encode("utf-8", "surrogateescape"))
            file.flush()
            os.fsync(file.fileno())
        # When it was written tells when the program last said something.
        os.utime(draft, ns=(found.st_atime_ns, found.st_mtime_ns))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return True


def _has_secret(path: Path) -> bool:
    masker = Masker("surrogateescape")
    for _ in _masked(path, masker):
        if masker.kinds:
            return True
    return bool(masker.kinds)


def _masked(path: Path, masker: Masker) -> Iterator[str]:
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(_CHUNK):
            yield masker.feed(chunk)
    yield masker.finish()


def mask_left_behind(records: Iterable[Path]) -> None:
    """Masks what ended while nobody was there to see it, or was given up: set-ups and checks of these runs, too."""
    for record in records:
        for place in (record, *(inner for inner in _folders(record))):
            if (place / "output.log").exists() and not is_masked(place) and _has_ended(place):
                with suppress(OSError):  # as with a full disk: the next conductor tries again
                    mask_record(place)


def _folders(record: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(record) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _has_ended(place: Path) -> bool:
    from toryo.adapters.hosts import records

    if (place / "exit").exists():
        return True
    pid = records.noted_pid(place)
    return pid is None or records.look_at_wrapper(pid, place) is None
