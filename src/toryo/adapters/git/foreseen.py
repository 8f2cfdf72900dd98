"""Which merges were tried before, and how they went: kept beside the journal, and no loss when it is gone."""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from toryo.adapters.replacing import put

Pair = tuple[str, str]
_SHAPE = 1
_MOST = 20_000
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class Foreseen:
    """Commits never change, so what came of merging two of them holds for ever."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: dict[Pair, tuple[str, ...]] | None = None
        self._is_new = False

    def has(self, pair: Pair) -> bool:
        return pair in self._known()

    def files(self, pair: Pair) -> tuple[str, ...]:
        """Those in conflict; none also where it was not tried."""
        return self._known().get(pair, ())

    def note(self, pair: Pair, files: tuple[str, ...]) -> None:
        self._known()[pair] = files
        self._is_new = True

    def keep(self, wanted: Iterable[Pair]) -> None:
        """Writes down what is new; of what nobody asked for now only the latest stays."""
        known = self._known()
        if not self._is_new:
            return
        now = {pair: known[pair] for pair in wanted if pair in known}
        before = [(pair, files) for pair, files in known.items() if pair not in now]
        self._files = {**dict(before[-max(0, _MOST - len(now)) :]), **now}
        self._is_new = False
        self._write()

    def _known(self) -> dict[Pair, tuple[str, ...]]:
        if self._files is None:
            self._files = _read(self._path)
        return self._files

    def _write(self) -> None:
        rows = [[*pair, *files] for pair, files in self._known().items()]
        with suppress(OSError):  # only a way to save time: where nothing can be written, one does without
            put(self._path, json.dumps({"shape": _SHAPE, "pairs": rows}).encode())


def _read(path: Path) -> dict[Pair, tuple[str, ...]]:
    try:
        data = json.loads(path.read_bytes())
        rows = data["pairs"] if data["shape"] == _SHAPE else []
        found = {(row[0], row[1]): tuple(row[2:]) for row in rows}
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return found if all(map(_is_sound, found.items())) else {}


def _is_sound(entry: tuple[Pair, tuple[str, ...]]) -> bool:
    pair, files = entry
    texts = all(isinstance(text, str) for text in (*pair, *files))
    return texts and all(_ID.fullmatch(commit) for commit in pair)
