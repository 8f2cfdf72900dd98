"""Files of ours that are written whole or not at all, whatever was there before."""

import os
import threading
from contextlib import suppress
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def put(path: Path, content: bytes, *, is_durable: bool = False) -> None:
    """For nobody else to read. Whoever reads it meanwhile has the old one, and who is killed leaves that.

    Raises OSError, and then nothing is changed. Durable: it is on the disk before this returns.
    """
    # One name for each thread of all processes: two may write at once, and who is killed again and again leaves one.
    draft = path.with_name(f".{path.name}.{threading.get_native_id()}")
    try:
        with os.fdopen(os.open(draft, _WRITING, 0o600), "wb") as file:
            file.write(content)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if is_durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some disks know no such thing
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
