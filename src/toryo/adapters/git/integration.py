"""Merging accepted work on the session's own branch; it is laid out in a folder only where somebody has to look."""

from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.combining import Union, combine, named
from toryo.adapters.git.command import Git
from toryo.adapters.git.memory import Memory
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.upkeep import (
    checkouts_of,
    current_branch,
    is_worktree,
    remove_stale_locks,
)
from toryo.adapters.git.worktrees import GitWorktrees, unmerged
from toryo.domain.errors import GitFailed
from toryo.ports import Combined, Conflict, Point, Seat, Stand


class GitIntegration:
    """Merges are made of objects alone, and the branch is moved only from where it was left."""

    def __init__(self, git: Git, objects: Objects, worktrees: GitWorktrees) -> None:
        self._git, self._objects, self._worktrees = git, objects, worktrees
        self._laid_out = ""
        """The tree that the folder shows, where it was put there last."""

    # ── where the branch stands ──────────────────────────────────────────────

    async def look(self, seat: Seat, tip: Point, *, is_begun: bool, merging: str = "") -> Stand | None:
        found = self._objects.find(_ref(seat))
        if found is None and not is_begun:
            return None
        if found and found != tip.commit and self._merges(found, tip, merging):
            return None  # an earlier try of ours, which was cut short before it could be told
        return await self._worktrees.look(seat.branch, tip.commit)

    # ── merging ──────────────────────────────────────────────────────────────

    async def combine(self, seat: Seat, tip: Point, commit: str) -> Combined:
        union = await self._union(seat, tip, commit)
        if not union.stages:
            return Combined(union.tree)
        with suppress(GitFailed, OSError):  # a memory that cannot be read is none
            if tree := await (await self._memory()).recall(union):
                return Combined(tree, union.files)
        raise Conflict(union.files)

    async def _union(self, seat: Seat, tip: Point, commit: str) -> Union:
        union = await combine(self._git, self._worktrees.common_dir, tip.commit, commit)
        return union or Union(await self._combine_in_folder(seat, tip, commit))

    async def _combine_in_folder(self, seat: Seat, tip: Point, commit: str) -> str:
        """As git itself does it, where the files of the tip are; raises Conflict having undone it."""
        await self.lay_out(seat, tip, tip.commit)
        path = self._worktrees.path(seat.folder)
        try:
            done = await self._git.attempt(path, "merge", "-q", "--no-ff", "--no-commit", commit)
            files = await unmerged(self._git, path) if done.returncode else ()
            if not done.returncode:
                return (await self._git.ask(path, "write-tree")).strip()
            if files:
                raise Conflict(files)
            raise GitFailed(f"git merge failed: {done.stderr.decode(errors='replace').strip()}")
        finally:
            await self._reset(path)

    async def lay_out(self, seat: Seat, tip: Point, tree: str) -> None:
        path = await self._ensure_folder(seat, tip)
        self._laid_out = ""
        await self._git.ask(path, "read-tree", "--reset", "-u", tree)
        self._laid_out = tree

    async def finish(self, seat: Seat, tip: Point, commit: str, tree: str, message: str) -> Point:
        root = self._worktrees.root
        stands = self._objects.find(_ref(seat))
        is_tried = stands is not None and self._merges(stands, tip, commit)
        if stands and is_tried and self._tree_of(stands) == tree:
            await self._bring_in_step(seat, tree)
            return Point(stands, tree)
        if tree == tip.tree and await self._contains(tip.commit, commit):
            return tip
        await self._refuse_under_others(seat)
        parents = ("-p", tip.commit, "-p", commit)
        merged = (await self._git.ask(root, "commit-tree", tree, *parents, "-m", message)).strip()
        if stands not in (None, tip.commit):
            if not is_tried:
                raise GitFailed(f"{seat.branch} was moved to {stands[:12]} meanwhile")
            # It has the same parents, and not the files that were proven: somebody else's, whatever it says.
            await self._worktrees.keep(seat.folder, stands)
        # With the old value: git refuses if somebody has moved the branch meanwhile.
        await self._git.ask(root, "update-ref", _ref(seat), merged, stands or "")
        await self._bring_in_step(seat, tree)
        return Point(merged, tree)

    async def abandon(self, seat: Seat, tip: Point, commit: str) -> None:
        stands = self._objects.find(_ref(seat))
        if stands and self._merges(stands, tip, commit):
            # It was merged by a try that was cut short, and now does not hold.
            await self._worktrees.keep(seat.folder, stands)
            await self._git.ask(self._worktrees.root, "update-ref", _ref(seat), tip.commit, stands)
        path = self._worktrees.path(seat.folder)
        if is_worktree(path):
            await self._reset(path)
            await self._git.ask(path, "clean", "-q", "-f", "-d")

    async def show(self, seat: Seat, tip: Point) -> None:
        path = await self._ensure_folder(seat, tip)
        await self._reset(path)
        await self._git.ask(path, "clean", "-q", "-f", "-d")

    # ── what was settled before ──────────────────────────────────────────────

    async def learn(self, tip: Point, work: str, result: str) -> None:
        with suppress(GitFailed, OSError):  # a convenience: without it, somebody settles the same again
            common = self._worktrees.common_dir
            base = (await self._git.ask(self._worktrees.root, "merge-base", tip.commit, result)).strip()
            if union := await combine(self._git, common, base, work):
                await (await self._memory()).learn(union, result)

    async def forget(self, tip: Point, commit: str, files: tuple[str, ...]) -> None:
        with suppress(GitFailed, OSError):
            union = await combine(self._git, self._worktrees.common_dir, tip.commit, commit)
            if union:
                wanted = [path for path in union.paths if set(named([path])) & set(files)]
                await (await self._memory()).forget(union, wanted)

    async def _memory(self) -> Memory:
        return Memory(self._git, self._worktrees.common_dir)

    # ── the folder ───────────────────────────────────────────────────────────

    async def _ensure_folder(self, seat: Seat, tip: Point) -> Path:
        path = self._worktrees.path(seat.folder)
        if is_worktree(path):
            remove_stale_locks(path)
            if not current_branch(path):
                # It shows an earlier commit, to somebody who looked for a culprit; or a person committed here.
                await self._worktrees.keep_head(seat)
                await self._git.ask(path, "checkout", "-q", "-f", seat.branch)
        if not is_worktree(path) or current_branch(path) != seat.branch:
            await self._refuse_under_others(seat)
            await self._worktrees.bring_back(seat, tip)
        return path

    async def _reset(self, path: Path) -> None:
        self._laid_out = ""
        remove_stale_locks(path)
        await self._git.ask(path, "reset", "-q", "--hard")

    async def _bring_in_step(self, seat: Seat, tree: str) -> None:
        """The folder shows the branch as it is now, if there is one."""
        path = self._worktrees.path(seat.folder)
        if self._laid_out != tree and is_worktree(path) and current_branch(path) == seat.branch:
            remove_stale_locks(path)
            await self._git.ask(path, "read-tree", "--reset", "-u", "HEAD")

    async def _refuse_under_others(self, seat: Seat) -> None:
        """In no folder but its own may the branch be moved: files there would seem changed that nobody touched."""
        own = self._worktrees.path(seat.folder)
        for folder in checkouts_of(seat.branch, self._worktrees.common_dir):
            if folder != own and folder.resolve() != own.resolve():
                raise GitFailed(f"{seat.branch} is checked out in {folder}; switch to another branch there")

    # ── asking git ───────────────────────────────────────────────────────────

    def _merges(self, stands: str, tip: Point, commit: str) -> bool:
        parents = (self._objects.find(f"{stands}^1"), self._objects.find(f"{stands}^2"))
        return parents == (tip.commit, commit)

    async def _contains(self, descendant: str, ancestor: str) -> bool:
        asked = ("merge-base", "--is-ancestor", ancestor, descendant)
        return (await self._git.attempt(self._worktrees.root, *asked)).returncode == 0

    def _tree_of(self, commit: str) -> str:
        return self._objects.need(f"{commit}^{{tree}}")


def _ref(seat: Seat) -> str:
    return f"refs/heads/{seat.branch}"
