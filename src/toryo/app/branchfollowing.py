"""The branches of a repository, told to somebody who is there all the time and must not be held up."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

from toryo.adapters.git.place import Place
from toryo.adapters.watching import ANY, changes
from toryo.app.branchhands import hands_folder
from toryo.app.branchsight import Sight
from toryo.domain.branch import Branch
from toryo.domain.errors import GitFailed

_AT_MOST_EVERY = 0.25
_COUNT_FOR = 0.5
"""Seconds after which what has been counted is told, and the rest a little later."""
_MOST_FOLDERS = 1000

Branches = tuple[Branch, ...]


async def follow(root: Path) -> AsyncGenerator[Branches, None]:
    sight = await asyncio.to_thread(Sight, root)
    last: Branches | None = None
    while True:
        watched = await asyncio.to_thread(_watched, sight.place)
        async with aclosing(changes(watched)) as noticed:
            async for _ in noticed:
                async for seen in _looks(sight, is_first=last is None):
                    if seen != last:
                        last = seen
                        yield seen
                await asyncio.sleep(_AT_MOST_EVERY)
                if await asyncio.to_thread(_watched, sight.place) != watched:
                    break  # a folder came or went: what is in it counts too


async def _looks(sight: Sight, *, is_first: bool) -> AsyncIterator[Branches]:
    """What is known at once, then what takes longer; raises where there was never anything to be seen."""
    try:
        seen = await asyncio.to_thread(sight.look)
        yield seen
        while sight.uncounted(seen):
            seen = await asyncio.to_thread(sight.count, seen, within=_COUNT_FOR)
            yield seen
        if stale := await asyncio.to_thread(sight.stale, seen):
            yield await asyncio.to_thread(sight.with_changes, seen, stale)
    except (GitFailed, OSError):
        if is_first:
            raise
        return  # in the middle of something that others do; they are not done before something else changes


def _watched(place: Place) -> list[Path]:
    """Wherever it would show that a branch was made, moved, checked out or worked on."""
    common, store = place.common_dir, place.store
    folders = [common, place.git_dir]
    for top in (common / "refs" / "heads", common / "refs" / "remotes"):
        folders += [top, *_folders(top, deep=True)]
    worktrees = common / "worktrees"
    folders += [
        worktrees,
        *_folders(worktrees, deep=False),
        hands_folder(place),
        *_folders(hands_folder(place), deep=False),
    ]
    files = [store / "journal.db", store / "journal.db-wal", store / "conductor.lock"]
    return [*(folder / ANY for folder in dict.fromkeys(folders[:_MOST_FOLDERS])), *files]


def _folders(top: Path, *, deep: bool) -> list[Path]:
    try:
        inside = sorted(path for path in top.iterdir() if path.is_dir())
    except OSError:
        return []
    return [found for path in inside for found in (path, *(_folders(path, deep=True) if deep else ()))]
