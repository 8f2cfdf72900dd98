"""Worktrees of tasks: made, reopened, emptied of leftovers, and removed once their work is merged."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from toryo.adapters.git.command import Git, checked
from toryo.adapters.git.debris import clear_branch_locks, clear_unfinished, common_dir_of
from toryo.adapters.git.difference import difference
from toryo.adapters.git.differences import RAW, changes_in
from toryo.adapters.git.objects import Objects
from toryo.domain.difference import Difference, readable
from toryo.domain.errors import GitFailed
from toryo.domain.evidence import FileChange
from toryo.ports import Conflict, Leftovers, Point, Seat, WorktreeMissing

_AT_ONCE = 500
"""So many branches are named in one command."""


class GitWorktrees:
    """Under `.worktrees/` of the repository; git cannot add or remove two at a time, so that takes turns."""

    def __init__(self, git: Git, objects: Objects, root: Path) -> None:
        self._git, self._objects, self.root = git, objects, root
        self._turn = asyncio.Lock()

    def path(self, folder: str) -> Path:
        return self.root / ".worktrees" / folder

    def has_branch(self, branch: str) -> bool:
        return self._objects.find(f"refs/heads/{branch}") is not None

    # ── making ───────────────────────────────────────────────────────────────

    async def create(self, seat: Seat, bases: Sequence[Point], *, adopt: bool) -> Point:
        path = self.path(seat.folder)
        first, *others = bases
        if not await self._add(seat, first.commit, adopt):
            return await self.reopen(seat)
        await self._git.ask(path, "reset", "-q", "--hard", first.commit)
        if not others:
            return first
        for other in others:
            await self._merge_base(path, other.commit)
        return await self.reopen(seat)

    async def _add(self, seat: Seat, commit: str, adopt: bool) -> bool:
        """True if the branch is new and begins at the commit; False if an older one was taken over."""
        path = self.path(seat.folder)
        clear_unfinished(common_dir_of(self.root), path)
        if _is_worktree(path):
            return await self._switch(seat, commit)
        add = ("worktree", "add", "-q", "--no-checkout")
        new = (*add, "--no-track", "-b", seat.branch, str(path), commit)
        async with self._turn:
            is_new = not adopt or not self.has_branch(seat.branch)
            if is_new and (await self._git.attempt(self.root, *new)).returncode == 0:
                return True
            # A folder deleted by hand is still registered, and a branch may be left from a try that was cut short.
            await self._git.ask(self.root, "worktree", "prune")
            found = self._objects.find(f"refs/heads/{seat.branch}")
            if found is None:
                await self._git.ask(self.root, *new)
                return True
            if found != commit and not adopt:
                raise GitFailed(f"branch {seat.branch} exists already and is not ours")
            await self._git.ask(self.root, *add, str(path), seat.branch)
        if found != commit:
            await self._git.ask(path, "reset", "-q", "--hard", seat.branch)
        return found == commit

    async def _switch(self, seat: Seat, commit: str) -> bool:
        """The folder is there: put it on the seat's branch, committing first what another task left in it."""
        path = self.path(seat.folder)
        current = current_branch(path)
        if current == seat.branch:
            return self._objects.find(f"refs/heads/{seat.branch}") == commit
        await self._commit(path, f"chore: unfinished work on {current}\n")
        if self._objects.find(f"refs/heads/{seat.branch}") is None:
            await self._git.ask(path, "checkout", "-q", "--no-track", "-b", seat.branch, commit)
            return True
        await self._git.ask(path, "checkout", "-q", seat.branch)
        return False

    async def _merge_base(self, path: Path, commit: str) -> None:
        done = await self._git.attempt(path, "merge", "-q", "--no-edit", commit)
        if done.returncode == 0:
            return
        files = await unmerged(self._git, path)
        await self._git.attempt(path, "merge", "--abort")
        if not files:
            raise GitFailed(f"merging a dependency failed: {done.stderr.decode(errors='replace').strip()}")
        raise Conflict(files)

    async def begin_anew(self, seat: Seat, base: Point, *, keeping: str, merging: str) -> Point:
        path = self.path(seat.folder)
        if keeping:
            name = f"refs/toryo/kept/{seat.folder}/{keeping[:12]}"
            await self._git.ask(self.root, "update-ref", name, keeping)
        await self._add(seat, base.commit, adopt=True)
        _remove_stale_lock(path)
        await self._git.ask(path, "reset", "-q", "--hard", base.commit)
        if merging:
            # Conflicts are what we are here for: they stay in the files for the agent.
            await self._git.attempt(path, "merge", "-q", "--no-ff", "--no-commit", merging)
        return base

    async def reopen(self, seat: Seat) -> Point:
        path = self.path(seat.folder)
        if not _is_worktree(path):
            raise WorktreeMissing(str(path))
        if current_branch(path) != seat.branch:
            await self._switch(seat, seat.branch)
        return self._point(seat.branch)

    def _point(self, branch: str) -> Point:
        commit = self._objects.need(f"refs/heads/{branch}")
        return Point(commit, self._objects.need(f"{commit}^{{tree}}"))

    # ── what a run left ──────────────────────────────────────────────────────

    async def commit_leftovers(self, seat: Seat, *, base: Point, start: str, message: str, merging: str) -> Leftovers:
        path = self.path(seat.folder)
        if not _is_worktree(path):
            raise WorktreeMissing(str(path))
        _remove_stale_lock(path)
        await self._commit(path, message)
        if current_branch(path) != seat.branch:
            # The agent moved to a branch of its own (or to none): what counts is where it ended.
            await self._git.ask(path, "checkout", "-q", "--no-track", "-B", seat.branch)
        point = self._point(seat.branch)
        raw, found = b"", Difference()
        if point.tree != base.tree:
            lines = asyncio.to_thread(difference, self._git, path, base.commit, point.commit)
            raw, found = await asyncio.gather(self._difference(path, base.commit, point.commit), lines)
        changes = tuple(FileChange(readable(name), how, _on_disk(path, name)) for name, how in changes_in(raw))
        started = self._objects.need(f"{start}^{{tree}}") if start != base.commit else base.tree
        problems = await self._merge_problems(path, merging) if merging else ()
        return Leftovers(point, changes, point.tree != started, problems, found, hashlib.sha256(raw).hexdigest())

    async def _commit(self, path: Path, message: str) -> None:
        await self._git.ask(path, "add", "-A")
        done = await self._git.attempt(path, "commit", "-q", "--no-verify", "--cleanup=verbatim", "-m", message)
        if done.returncode > 1:
            raise GitFailed(f"git commit failed: {done.stderr.decode(errors='replace').strip()}")

    async def _difference(self, path: Path, base: str, commit: str) -> bytes:
        done = await self._git.attempt(path, *RAW, base, commit)
        checked(done, RAW)
        return done.stdout

    async def _merge_problems(self, path: Path, merging: str) -> tuple[str, ...]:
        undone = await self._git.attempt(path, "merge-base", "--is-ancestor", merging, "HEAD")
        return ("the merge was undone: the task's work is not in the result",) if undone.returncode else ()

    # ── removing ─────────────────────────────────────────────────────────────

    async def tidy(self, seat: Seat) -> None:
        path = self.path(seat.folder)
        await self._git.ask(path, "reset", "-q", "--hard")
        await self._git.ask(path, "clean", "-q", "-f", "-d")

    async def remove_folder(self, seat: Seat) -> str:
        path = self.path(seat.folder)
        if not path.exists():
            return ""
        clear_unfinished(common_dir_of(self.root), path)
        if not _is_worktree(path):
            # Removing it was cut short: git still knows which folder it was.
            await self._git.attempt(self.root, "worktree", "repair")
        if not _is_worktree(path):
            return f"{path} is no worktree"
        if current_branch(path) != seat.branch:
            return ""  # a shared folder that another task uses by now
        async with self._turn:
            done = await self._git.attempt(self.root, "worktree", "remove", str(path))
            if done.returncode != 0 and await self._only_lacks_files(path):
                await self._git.ask(path, "reset", "-q", "--hard")
                done = await self._git.attempt(self.root, "worktree", "remove", str(path))
        said = done.stderr.decode(errors="replace").strip()
        if "untracked" in said:
            said = f"{path} holds files that are not committed (leftovers of checks belong in .gitignore)"
        return "" if done.returncode == 0 else said

    async def _only_lacks_files(self, path: Path) -> bool:
        """Whether all that is different from what is committed are files that are gone."""
        done = await self._git.attempt(path, "status", "--porcelain", "-z", "--untracked-files=all")
        entries = [entry for entry in done.stdout.split(b"\0") if entry]
        return done.returncode == 0 and bool(entries) and all(entry.startswith(b" D ") for entry in entries)

    async def forget_branches(self, branches: Sequence[str], *, merged_into: str) -> None:
        # `-d` lets a branch go only if git finds it merged into its upstream, which for this command is the session's
        # branch. What it refuses stays.
        there = [branch for branch in branches if self.has_branch(branch)]
        clear_branch_locks(common_dir_of(self.root), there)
        for begin in range(0, len(there), _AT_ONCE):
            some = there[begin : begin + _AT_ONCE]
            upstream = (("remote", "."), ("merge", f"refs/heads/{merged_into}"))
            settings = [f"branch.{branch}.{key}={value}" for branch in some for key, value in upstream]
            asked = (*(part for setting in settings for part in ("-c", setting)), "branch", "-q", "-d", *some)
            done = await self._git.attempt(self.root, *asked)
            if done.returncode < 0:
                raise GitFailed(f"git branch was killed ({-done.returncode})")


async def unmerged(git: Git, path: Path) -> tuple[str, ...]:
    """Files a merge could not bring together."""
    done = await git.attempt(path, "diff", "--name-only", "--diff-filter=U", "-z")
    names = done.stdout.decode(errors="surrogateescape").split("\0")
    return tuple(readable(name) for name in names if name)


def _is_worktree(path: Path) -> bool:
    return (path / ".git").is_file()


def git_dir(path: Path) -> Path:
    """The worktree's own git folder."""
    text = (path / ".git").read_text(errors="surrogateescape")
    return path / text.removeprefix("gitdir: ").removesuffix("\n")


def current_branch(path: Path) -> str:
    head = (git_dir(path) / "HEAD").read_text(errors="surrogateescape").strip()
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else ""


def _remove_stale_lock(path: Path) -> None:
    """A run killed in the middle of a git command leaves its lock; nobody else uses this index now."""
    (git_dir(path) / "index.lock").unlink(missing_ok=True)


def _on_disk(path: Path, name: str) -> bool:
    target = path / name
    return target.exists() or target.is_symlink()
