"""Which theme a person chose for the terminal app: one word, in their own folder, for all repositories."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from toryo.adapters.replacing import put

_LONGEST = 100
_READING = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class ThemeFile:
    """What cannot be read was never chosen, and what cannot be written is forgotten: neither is worth a word."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def read(self) -> str:
        """Empty: none was chosen."""
        with suppress(OSError, RuntimeError, UnicodeDecodeError):
            descriptor = os.open(self._path(), _READING)
            try:
                return os.read(descriptor, _LONGEST).decode().strip()
            finally:
                os.close(descriptor)
        return ""

    def keep(self, theme: str) -> None:
        with suppress(OSError, RuntimeError):
            path = self._path()
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put(path, f"{theme}\n".encode())

    def _path(self) -> Path:
        return user_state_folder(self._environ) / "theme"


def user_state_folder(environ: Mapping[str, str]) -> Path:
    """Like the XDG rules say, a relative XDG_STATE_HOME counts as none. Raises RuntimeError where nobody has a home."""
    home = Path(environ.get("XDG_STATE_HOME", ""))
    if home.is_absolute():
        return home / "toryo"
    if sys.platform == "linux":
        return Path.home() / ".local" / "state" / "toryo"
    import platformdirs

    return Path(platformdirs.user_state_dir("toryo", False))
