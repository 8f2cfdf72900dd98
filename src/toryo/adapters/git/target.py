"""The branch that is landed on: a person's own, so it is moved by as much as was asked for, or not at all."""

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.checkouts import Checkout, checkouts
from toryo.adapters.git.command import Git
from toryo.adapters.git.debris import common_dir_of
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.domain.difference import readable
from toryo.domain.errors import GitFailed
from toryo.ports import Conflict, Held, Point, Seat

_MOST_FILES = 8
_NAMES_FILE = re.compile(r"error: (Entry|Untracked working tree file) '")


class GitTarget:
    def __init__(self, git: Git, objects: Objects, worktrees: GitWorktrees, integration: GitIntegration) -> None:
        self._git, self._objects = git, objects
        self._worktrees, self._integration = worktrees, integration
        self._root = worktrees.root

    # ── looking ──────────────────────────────────────────────────────────────

    async def look(self, branch: str) -> str:
        if commit := await self.stands(branch):
            return commit
        raise Held(
            f"there is no branch {branch} any more, and that is where it is to be landed",
            f"make it again (git branch {branch} COMMIT), or take the result over yourself",
        )

    async def stands(self, branch: str) -> str:
        return self._objects.find(f"refs/heads/{branch}") or ""

    async def point(self, commit: str) -> Point:
        return Point(commit, self._objects.need(f"{commit}^{{tree}}"))

    async def contains(self, commit: str, ancestor: str) -> bool:
        done = await self._git.attempt(self._root, "merge-base", "--is-ancestor", ancestor, commit)
        return done.returncode == 0

    async def says(self, commit: str) -> tuple[tuple[str, ...], str]:
        asked = ("log", "-1", "--no-show-signature", "--format=%P%x00%B", commit)
        parents, _, message = (await self._git.ask(self._root, *asked)).partition("\0")
        return tuple(parents.split()), message

    async def news(self, since: str, commit: str, most: int) -> tuple[str, ...]:
        asked = ("log", "--no-show-signature", f"-{most}", "--format=%h %s", f"{since}..{commit}")
        return tuple((await self._git.ask(self._root, *asked)).splitlines())

    # ── bringing the result up to date ───────────────────────────────────────

    async def update(self, seat: Seat, tip: Point, onto: str, message: str) -> Point:
        return await self._integration.merge(seat, tip, onto, message)

    async def replay(self, seat: Seat, tip: Point, *, ground: str, onto: str, message: str) -> Point:
        new = await self._on_top(ground, tip, onto, message)
        for place in await checkouts(self._git, self._root):
            if place.branch == seat.branch and place.is_there and place.path != self._worktrees.path(seat.folder):
                raise Held(f"{seat.branch} is checked out in {place.path}", "switch to another branch there")
        await self._git.ask(self._root, "update-ref", f"refs/toryo/kept/{seat.folder}/{tip.commit[:12]}", tip.commit)
        await self._integration.show(seat, tip)
        stands = await self.stands(seat.branch)
        path = self._worktrees.path(seat.folder)
        # In its own worktree: index and files go with it, and git keeps anybody else from moving it meanwhile.
        await self._git.ask(path, "reset", "-q", "--hard", new.commit)
        if await self.stands(seat.branch) != new.commit:
            raise GitFailed(f"{seat.branch} did not move from {stands[:12]}")
        return new

    async def _on_top(self, ground: str, tip: Point, onto: str, message: str) -> Point:
        """The changes from `ground` to `tip`, made to `onto` instead: merged, as if both began from `ground`."""
        theirs = (await self._git.ask(self._root, "rev-parse", f"{onto}^{{tree}}")).strip()
        sides = [
            (await self._git.ask(self._root, "commit-tree", tree, "-p", ground, "-m", "side")).strip()
            for tree in (theirs, tip.tree)
        ]
        done = await self._git.attempt(self._root, "merge-tree", "--write-tree", "--name-only", "-z", *sides)
        tree, *rest = done.stdout.decode(errors="surrogateescape").split("\0")
        if done.returncode == 1:
            files = rest[: rest.index("")] if "" in rest else rest
            raise Conflict(tuple(dict.fromkeys(map(readable, files))))
        if done.returncode != 0:
            raise GitFailed(f"git merge-tree failed: {done.stderr.decode(errors='replace').strip()}")
        commit = (await self._git.ask(self._root, "commit-tree", tree, "-p", onto, "-m", message)).strip()
        return Point(commit, tree)

    # ── landing ──────────────────────────────────────────────────────────────

    async def merge_commit(self, onto: str, tip: str, tree: str, message: str, *, squash: bool) -> str:
        parents = (onto,) if squash else (onto, tip)
        given = [part for parent in parents for part in ("-p", parent)]
        return (await self._git.ask(self._root, "commit-tree", tree, *given, "-m", message)).strip()

    async def landed(self, branch: str, onto: str, parents: Sequence[str], tree: str) -> str:
        asked = ("log", "--no-show-signature", "--first-parent", "--reverse", "--format=%H %T %P", f"{onto}..{branch}")
        done = await self._git.attempt(self._root, *asked)
        first, *_ = [*done.stdout.decode().splitlines(), ""]
        commit, _, rest = first.partition(" ")
        return commit if rest == " ".join((tree, *parents)) else ""

    async def move(self, branch: str, *, before: str, commit: str) -> bool:
        places = await self._places(branch)
        if await self.stands(branch) != before:
            return False
        if not places:
            return await self._set(branch, before, commit)
        # Their hooks run, as with a merge of their own; their stash is left alone.
        forward = ("merge", "-q", "--ff-only", "--no-autostash", commit)
        return await self._move_places(branch, places, before, commit, self._git.with_hooks(), forward)

    async def move_back(self, branch: str, *, before: str, commit: str) -> bool:
        places = await self._places(branch)
        if await self.stands(branch) != commit:
            return False
        if not places:
            return await self._set(branch, commit, before)
        back = ("reset", "-q", "--keep", before)
        return await self._move_places(branch, places, commit, before, self._git, back)

    async def _places(self, branch: str) -> list[Checkout]:
        """Where it is checked out; raises Held where somebody is in the middle of something with it."""
        found = []
        for place in await checkouts(self._git, self._root):
            if not place.is_there:
                continue
            doing = place.doing
            if doing and (place.branch == branch or place.is_rebasing(branch)):
                raise Held(f"{doing} is under way in {place.path}", f"finish or abort {doing.removeprefix('a ')} there")
            if place.branch == branch:
                found.append(place)
        return found

    async def _set(self, branch: str, old: str, new: str) -> bool:
        asked = ("update-ref", "-m", f"toryo: moved to {new[:12]}", f"refs/heads/{branch}", new, old)
        began = time.time()
        done = await self._git.attempt(self._root, *asked)
        if done.returncode == 0:
            return True
        if await self.stands(branch) == new:  # it was done, whatever was said of it
            return True
        if await self.stands(branch) != old:
            return False
        lock = common_dir_of(self._root) / "refs" / "heads" / f"{branch}.lock"
        if done.returncode < 0:
            _clear_own(lock, began)
        if lock.name in _words(done.stderr):
            raise _locked(str(lock))
        raise GitFailed(f"git update-ref failed: {_words(done.stderr)}")

    async def _move_places(
        self, branch: str, places: Sequence[Checkout], old: str, new: str, git: Git, command: Sequence[str]
    ) -> bool:
        first, *others = places
        for place in places if others else ():
            await self._refuse_if_in_the_way(place.path, old, new)
        began = time.time()
        done = await git.attempt(first.path, *command)
        if done.returncode < 0:
            _clear_own(first.git_dir / "index.lock", began)
        if await self.stands(branch) == new:
            for place in others:  # git moves the branch, and the files of one worktree
                await self._git.attempt(place.path, "read-tree", "-m", "-u", old, new)
            return True
        if await self.stands(branch) != old:
            return False
        raise _in_the_way(first.path, _words(done.stderr))

    async def _refuse_if_in_the_way(self, path: Path, old: str, new: str) -> None:
        await self._git.attempt(path, "update-index", "-q", "--refresh")
        done = await self._git.attempt(path, "read-tree", "-n", "-m", "-u", old, new)
        if done.returncode != 0:
            raise _in_the_way(path, _words(done.stderr))


def _words(said: bytes) -> str:
    return said.decode(errors="replace").strip()


def _clear_own(lock: Path, began: float) -> None:
    """The lock that a git of ours held as it was killed just now; an older one is somebody else's."""
    with suppress(OSError):
        if lock.stat().st_mtime >= began - 1:
            lock.unlink()


def _locked(lock: str) -> Held:
    why = f"another git command is at work, or one was cut short: {lock} is there"
    return Held(why, "wait for it; if there is none, remove that file")


def _in_the_way(path: Path, said: str) -> Exception:
    """What git said it would write over, as something a person can act on."""
    if ".lock'" in said:
        return _locked(said.partition("'")[2].partition("'")[0])
    names = [line.strip() for line in said.splitlines() if line.startswith("\t")]
    names += [line.split("'")[1] for line in said.splitlines() if _NAMES_FILE.match(line)]
    if not names:
        return GitFailed(f"git could not change the files in {path}: {said[-500:]}")
    more = f" and {len(names) - _MOST_FILES} more" if len(names) > _MOST_FILES else ""
    listed = ", ".join(names[:_MOST_FILES]) + more
    return Held(
        f"uncommitted changes in {path} are in the way: {listed}", "commit them, or put them aside with 'git stash -u'"
    )
