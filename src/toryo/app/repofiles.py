"""The files of a repository, for whoever wants to name one."""

import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

from toryo.adapters.git.command import Git

_FRESH_FOR = 5.0
_MOST = 200_000


class RepoFiles:
    """Those that git tracks, and those that it would; looked up again after a few seconds."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: Sequence[str] = ()
        self._looked_at = -_FRESH_FOR

    def beginning_with(self, start: str) -> Iterator[str]:
        """In order, without end where the start is empty: take as many as you need."""
        names = self.names()
        for place in range(bisect_left(names, start), len(names)):
            if not names[place].startswith(start):
                return
            yield names[place]

    def names(self) -> Sequence[str]:
        now = time.monotonic()
        if now - self._looked_at > _FRESH_FOR:
            self._names = self._listed()
            self._looked_at = time.monotonic()
        return self._names

    def _listed(self) -> Sequence[str]:
        try:
            done = Git(os.environ).run(self._root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        except OSError:
            return ()
        names = done.stdout.decode("utf-8", "replace").split("\0")
        return sorted({name for name in names[:_MOST] if name})
