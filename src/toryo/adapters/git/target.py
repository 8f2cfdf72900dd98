"""The branch that is landed on: a person's own, so it is moved by as much as was asked for, or not at all."""

import time
from collections.abc import Sequence

from toryo.adapters.git.checkouts import Checkout, checkouts
from toryo.adapters.git.command import Git
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.theirfiles import TheirFiles, clear_own, locked, words_of
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.domain.difference import readable
from toryo.domain.errors import GitFailed
from toryo.ports import Conflict, Held, Point, Seat

_MOST_LOOKED_AT = 1000
_GONE = "bring it back; if it is gone for good, 'git worktree prune' forgets it"


class GitTarget:
    def __init__(self, git: Git, objects: Objects, worktrees: GitWorktrees, integration: GitIntegration) -> None:
        self._git, self._objects = git, objects
        self._worktrees, self._integration = worktrees, integration
        self._root = worktrees.root
        self._files = TheirFiles(git)

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
        combined = await self._integration.combine(seat, tip, onto)
        return await self._integration.finish(seat, tip, onto, combined.tree, message)

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

    async def landed(self, branch: str, since: str, tree: str, mark: str) -> tuple[str, str] | None:
        asked = ("log", "--no-show-signature", "-z", "--first-parent", f"-{_MOST_LOOKED_AT}")
        done = await self._git.attempt(self._root, *asked, "--format=%H %T %P%n%B", f"{since}..refs/heads/{branch}")
        for entry in done.stdout.decode(errors="replace").split("\0"):
            head, *message = entry.splitlines() or [""]
            commit, its_tree, before, *_ = [*head.split(), "", "", ""]
            if its_tree == tree and mark in message:
                return commit, before
        return None

    async def move(self, branch: str, *, before: str, commit: str) -> bool:
        places = await self._places(branch)
        if await self.stands(branch) != before:
            return False
        moved = await self._move_places(branch, places, before, commit)
        for place in places if moved else ():
            # As with a merge of their own.
            await self._git.with_hooks().attempt(place.path, "hook", "run", "--ignore-missing", "post-merge", "--", "0")
        return moved

    async def move_back(self, branch: str, *, before: str, commit: str) -> bool:
        places = await self._places(branch)
        if await self.stands(branch) != commit:
            return False
        return await self._move_places(branch, places, commit, before)

    async def _places(self, branch: str) -> list[Checkout]:
        """Where it is checked out; raises Held where somebody is in the middle of something with it."""
        found = []
        for place in await checkouts(self._git, self._root):
            if not place.is_there:
                if place.branch == branch:
                    raise Held(f"{branch} is checked out in {place.path}, which is not there", _GONE)
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
        done = await self._git.with_hooks().attempt(self._root, *asked)
        if done.returncode == 0:
            return True
        if await self.stands(branch) == new:  # it was done, whatever was said of it
            return True
        if await self.stands(branch) != old:
            return False
        lock = self._worktrees.common_dir / "refs" / "heads" / f"{branch}.lock"
        if done.returncode < 0:
            clear_own(lock, began)
        if lock.name in words_of(done.stderr):
            raise locked(str(lock))
        raise GitFailed(f"git update-ref failed: {words_of(done.stderr)}")

    async def _move_places(self, branch: str, places: Sequence[Checkout], old: str, new: str) -> bool:
        """The files first, where it is checked out, then the branch; whatever fails is taken back."""
        for place in places:
            await self._files.refuse_if_in_the_way(place.path, old, new)
        changed: list[Checkout] = []
        try:
            for place in places:
                await self._files.change(place, old, new)
                changed.append(place)
            is_moved = await self._set(branch, old, new)
        except BaseException:
            if await self.stands(branch) != new:
                await self._files.change_back(changed, old, new)
            raise
        if not is_moved:
            await self._files.change_back(changed, old, new)
        return is_moved
