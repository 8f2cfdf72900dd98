"""Changing the files of somebody's checkout from one commit to another, without costing them anything."""

import os
import re
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.checkouts import Checkout
from toryo.adapters.git.command import Git
from toryo.adapters.git.differences import RAW, changes_in
from toryo.domain.difference import readable
from toryo.domain.errors import GitFailed
from toryo.domain.evidence import Change
from toryo.ports import Held

_MOST_FILES = 8
_NAMES_FILE = re.compile(r"error: (Entry|Untracked working tree file) '")
_LOCK = re.compile(r"'([^'\n]+\.lock)'")


class TheirFiles:
    """What is staged, changed, untracked or ignored stays as it is; where it is in the way, nothing is begun."""

    def __init__(self, git: Git) -> None:
        self._git = git

    async def refuse_if_in_the_way(self, path: Path, old: str, new: str) -> None:
        """Raises Held, having changed nothing, where the change would write over something."""
        await self._git.attempt(path, "update-index", "-q", "--refresh")
        done = await self._git.attempt(path, "read-tree", "-n", "-m", "-u", old, new)
        changes = await self._changes(path, old, new)
        # What is ignored counts for git as nothing worth keeping; and of several files it names the first.
        lying_about = await self._lying_about(path, changes)
        if done.returncode != 0:
            names = [*await self._uncommitted(path, old, changes), *lying_about]
            raise _held(path, names) if names else in_the_way(path, words_of(done.stderr))
        if lying_about:
            raise _held(path, lying_about)

    async def _uncommitted(self, path: Path, old: str, changes: Sequence[tuple[str, Change]]) -> list[str]:
        """Of the files that are to change those that the person has changed or staged."""
        theirs: set[str] = set()
        for asked in (("diff", "--name-only", "-z"), ("diff", "--name-only", "-z", "--cached", old)):
            theirs |= set((await self._git.ask(path, *asked)).split("\0"))
        return [name for name, _ in changes if name in theirs]

    async def _lying_about(self, path: Path, changes: Sequence[tuple[str, Change]]) -> list[str]:
        """New files in whose place something is that git does not know."""
        gone = {name for name, how in changes if how is Change.DELETED}
        added = [name for name, how in changes if how is Change.CREATED]
        known = set((await self._git.ask(path, "ls-files", "-z", "--full-name")).split("\0")) if added else set()
        return [name for name in added if name not in known and _is_taken(path, name, gone)]

    async def change(self, place: Checkout, old: str, new: str) -> None:
        began = time.time()
        done = await self._git.with_hooks().attempt(place.path, "read-tree", "-m", "-u", old, new)
        if done.returncode == 0:
            return
        if done.returncode < 0:
            clear_own(place.git_dir / "index.lock", began)
        await self.change_back([place], old, new)  # perhaps it was done, whatever was said of it
        await self._restore(place.path, old, new)
        raise in_the_way(place.path, words_of(done.stderr))

    async def change_back(self, places: Sequence[Checkout], old: str, new: str) -> None:
        for place in reversed(places):
            await self._git.attempt(place.path, "read-tree", "-m", "-u", new, old)

    async def _restore(self, path: Path, old: str, new: str) -> None:
        """Git stopped half-way: nothing of the person's is among these files, or it would not have begun."""
        changes = await self._changes(path, old, new)
        for name, how in changes:
            if how is Change.CREATED:
                with suppress(OSError):
                    (path / name).unlink()
        kept = "".join(f"{name}\0" for name, how in changes if how is not Change.CREATED)
        given = kept.encode(errors="surrogateescape")
        await self._git.attempt(path, "checkout-index", "-f", "-q", "-u", "-z", "--stdin", given=given)

    async def _changes(self, path: Path, old: str, new: str) -> list[tuple[str, Change]]:
        done = await self._git.attempt(path, *RAW, old, new)
        return list(changes_in(done.stdout))


def _is_taken(path: Path, name: str, gone: Iterable[str]) -> bool:
    """Whether something is in its place, or in that of a folder it needs, that will not have gone by then."""
    parts = name.split("/")
    for count in range(1, len(parts)):
        folder = "/".join(parts[:count])
        if os.path.lexists(path / folder) and not (path / folder).is_dir():
            return folder not in gone
    return os.path.lexists(path / name) and not _goes_with(path / name, name, gone)


def _goes_with(place: Path, name: str, gone: Iterable[str]) -> bool:
    """A folder whose every file is among those that go."""
    if not place.is_dir() or place.is_symlink():
        return False
    below = {f"{name}/{inner.relative_to(place)}" for inner in place.rglob("*") if not inner.is_dir()}
    return below <= set(gone)


def words_of(said: bytes) -> str:
    return said.decode(errors="replace").strip()


def clear_own(lock: Path, began: float) -> None:
    """The lock that a git of ours held as it was killed just now; an older one is somebody else's."""
    with suppress(OSError):
        if lock.stat().st_mtime >= began - 1:
            lock.unlink()


def locked(lock: str) -> Held:
    why = f"another git command is at work, or one was cut short: {lock} is there"
    return Held(why, "wait for it; if there is none, remove that file")


def in_the_way(path: Path, said: str) -> Exception:
    """What git said it would write over, as something a person can act on."""
    if found := _LOCK.search(said):
        return locked(found[1])
    names = [line.strip() for line in said.splitlines() if line.startswith("\t")]
    names += [line.split("'")[1] for line in said.splitlines() if _NAMES_FILE.match(line)]
    if not names:
        return GitFailed(f"git could not change the files in {path}: {said[-500:]}")
    return _held(path, names)


def _held(path: Path, names: Sequence[str]) -> Held:
    more = f" and {len(names) - _MOST_FILES} more" if len(names) > _MOST_FILES else ""
    listed = ", ".join(map(readable, names[:_MOST_FILES])) + more
    return Held(
        f"uncommitted changes in {path} are in the way: {listed}", "commit them, or put them aside with 'git stash -a'"
    )
