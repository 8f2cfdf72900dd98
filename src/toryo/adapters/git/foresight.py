"""Trying all merges of live work, two by two, in one git process and without a checkout."""

import os
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.foreseen import Foreseen, Pair
from toryo.adapters.git.snapshots import Snapshots
from toryo.domain.difference import readable
from toryo.domain.errors import GitFailed
from toryo.ports.foresight import Clash, Picture, Sight

_MERGE = ("merge-tree", "--write-tree", "--stdin", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories")
_TAKES_KEPT = 40
"""So many snapshots per worktree until their objects are thrown away and taken anew."""
_AT_ONCE = 8
_CONFLICTS = b"0"
_USAGE = 129


class GitForesight:
    """Remembers what it saw: a worktree is looked at again if its mark differs, a pair if one of its commits does."""

    def __init__(self, git: Git, *, root: Path, common_dir: Path, folder: Path, cache: Path) -> None:
        self._root, self._folder = root, folder
        self._snapshots = Snapshots(git, common_dir, folder)
        self._foreseen = Foreseen(cache)
        self._seen: dict[int, tuple[str, str]] = {}
        """Of each task whose worktree was looked at: its mark, and the snapshot; empty: it could not be taken."""
        self._changed: dict[tuple[str, str], tuple[str, ...]] = {}
        self._takes = 0
        self._turn = threading.Lock()

    # ── what is known ────────────────────────────────────────────────────────

    def known(self, sights: tuple[Sight, ...], tip: str) -> Picture:
        commits = {sight.task: self._commit(sight) for sight in sights}
        clashes, untried = [], []
        for task, other, pair in _pairs(sights, commits, tip):
            if not self._foreseen.has(pair):
                untried.append((task, other))
            elif files := self._foreseen.files(pair):
                clashes.append(Clash(task, other, files))
        changed, unseen = [], [task for task, commit in commits.items() if not commit]
        for sight in sights:
            if sight.base and sight.task not in unseen:
                since = self._changed.get((sight.base, commits[sight.task]))
                changed += [(sight.task, since)] if since else []
                unseen += [sight.task] if since is None else []
        return Picture(tuple(clashes), tuple(changed), tuple(unseen), tuple(untried))

    def _commit(self, sight: Sight) -> str:
        return sight.commit or self._seen.get(sight.task, ("", ""))[1]

    # ── looking ──────────────────────────────────────────────────────────────

    def look(self, sights: tuple[Sight, ...], tip: str) -> Picture:
        with self._turn:
            self._take(sights)
            commits = {sight.task: self._commit(sight) for sight in sights}
            wanted = [pair for _, _, pair in _pairs(sights, commits, tip)]
            self._merge([pair for pair in wanted if not self._foreseen.has(pair)])
            self._foreseen.keep(wanted)
            return self.known(sights, tip)

    def _take(self, sights: Sequence[Sight]) -> None:
        live = {sight.task for sight in sights if sight.worktree}
        if self._takes > _TAKES_KEPT * max(1, len(live)):
            self._snapshots.forget()
            self._seen.clear()
            self._takes = 0
        self._seen = {task: seen for task, seen in self._seen.items() if task in live}
        new = [sight for sight in sights if sight.worktree and self._seen.get(sight.task, ("", ""))[0] != sight.mark]
        self._takes += len(new)
        for sight, commit in zip(new, self._snapshots_of(new), strict=True):
            self._seen[sight.task] = (sight.mark, commit)
        changed = {(sight.base, self._commit(sight)) for sight in sights if sight.base and self._commit(sight)}
        self._changed = {
            (base, commit): known
            if (known := self._changed.get((base, commit))) is not None
            else self._snapshots.changed(self._root, base, commit)
            for base, commit in changed
        }

    def _snapshots_of(self, sights: Sequence[Sight]) -> list[str]:
        """Several at a time: most of it is waiting for the file system."""
        if not sights:
            return []
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(len(sights), os.cpu_count() or 1, _AT_ONCE)) as pool:
            taken = pool.map(lambda sight: self._snapshots.take(sight.worktree) if sight.worktree else None, sights)
            return [commit or "" for commit in taken]

    def _merge(self, pairs: Sequence[Pair]) -> None:
        """One process tries them all; what it gives up at is left out, and the rest tried again."""
        while pairs:
            merged = self._folder / "merged"
            merged.mkdir(parents=True, exist_ok=True)
            try:
                asked = "".join(f"{one} {other}\n" for one, other in pairs)
                done = self._snapshots.git(merged).fed(self._root, asked.encode(), *_MERGE)
            finally:
                shutil.rmtree(merged, ignore_errors=True)
            if done.returncode == _USAGE:
                raise GitFailed("git cannot try merges: that needs git 2.39 or newer")
            tried = list(_answers(done.stdout))
            for pair, files in zip(pairs, tried, strict=False):
                self._foreseen.note(pair, files)
            if done.returncode == 0 and len(tried) >= len(pairs):
                return
            pairs = pairs[len(tried) + 1 :]

    def close(self) -> None:
        with self._turn:
            shutil.rmtree(self._folder, ignore_errors=True)


def _pairs(sights: Sequence[Sight], commits: Mapping[int, str], tip: str) -> Iterator[tuple[int, int | None, Pair]]:
    """Every two lines of work, and each with what is merged; the merged or earlier one first, as when merging."""
    accepted = sorted(sight.task for sight in sights if sight.is_accepted and commits[sight.task])
    others = sorted(sight.task for sight in sights if not sight.is_accepted and commits[sight.task])
    for task in others:
        if tip and commits[task] != tip:
            yield task, None, (tip, commits[task])
    mixed = (sorted((one, two)) for one in accepted for two in others)
    for one, two in (*combinations(others, 2), *mixed):
        if commits[one] != commits[two]:
            yield two, one, (commits[one], commits[two])


def _answers(output: bytes) -> Iterator[tuple[str, ...]]:
    """Of each merge the files in conflict: its status, its tree, those files, and an empty name behind them."""
    parts = output.split(b"\0")[:-1]
    at = 0
    while at + 1 < len(parts):
        status, end = parts[at], at + 2
        while end < len(parts) and parts[end]:
            end += 1
        if end == len(parts):
            return  # cut short
        names = dict.fromkeys(name.decode(errors="surrogateescape") for name in parts[at + 2 : end])
        yield tuple(readable(name) for name in names) if status == _CONFLICTS else ()
        at = end + 1
