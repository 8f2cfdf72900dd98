"""Worktrees of tasks: made, reopened, emptied of leftovers, and removed once their work is merged."""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from toryo.adapters.git.combining import named
from toryo.adapters.git.command import Git, checked
from toryo.adapters.git.debris import clear_unfinished
from toryo.adapters.git.difference import difference
from toryo.adapters.git.differences import RAW, changes_in
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.removal import Removal
from toryo.adapters.git.upkeep import (
    common_dir_of,
    current_branch,
    git_dir,
    is_laid_out,
    is_worktree,
    remove_stale_locks,
    set_aside,
)
from toryo.domain.difference import Difference, readable
from toryo.domain.errors import GitFailed
from toryo.domain.evidence import FileChange
from toryo.domain.integration import Found
from toryo.ports import Conflict, Leftovers, Point, Seat, Stand, WorktreeMissing

_OURS = "agent/"


class GitWorktrees:
    """Under `.worktrees/` of the repository; git cannot add or remove two at a time, so that takes turns."""

    def __init__(self, git: Git, objects: Objects, root: Path) -> None:
        self._git, self._objects, self.root = git, objects, root
        self._turn = asyncio.Lock()
        self.common_dir = common_dir_of(root)
        """What all worktrees of the repository share."""
        self._removal = Removal(git, root, self.common_dir)

    def path(self, folder: str) -> Path:
        return self.root / ".worktrees" / folder

    def has_branch(self, branch: str) -> bool:
        return self._objects.find(f"refs/heads/{branch}") is not None

    async def look(self, branch: str, commit: str) -> Stand | None:
        stands = self._objects.find(f"refs/heads/{branch}")
        if stands is None or stands == commit:
            return None if stands else Stand(Found.GONE)
        asked = ("merge-base", "--is-ancestor", commit, stands)
        is_ahead = (await self._git.attempt(self.root, *asked)).returncode == 0
        return Stand(Found.AHEAD if is_ahead else Found.ELSEWHERE, stands, self._objects.need(f"{stands}^{{tree}}"))

    async def restore(self, branch: str, commit: str) -> None:
        # The empty old value: git refuses if somebody has made the branch since.
        await self._git.ask(self.root, "update-ref", f"refs/heads/{branch}", commit, "")

    async def keep(self, folder: str, commit: str) -> str:
        name = f"refs/toryo/kept/{folder}/{commit[:12]}"
        await self._git.ask(self.root, "update-ref", name, commit)
        return name

    # ── making ───────────────────────────────────────────────────────────────

    async def create(self, seat: Seat, bases: Sequence[Point], *, adopt: bool) -> Point:
        path = self.path(seat.folder)
        first, *others = bases
        if not await self._add(seat, first.commit, adopt):
            if await self._holds(path, bases):
                return await self.reopen(seat)
            # A try was cut short before all of them were in, or one of them has been done again since.
            await self._keep_what_is_there(seat, {base.commit for base in bases})
        await self._git.ask(path, "reset", "-q", "--hard", first.commit)
        if not others:
            return first
        for other in others:
            await self._merge_base(path, other.commit)
        return await self.reopen(seat)

    async def bring_back(self, seat: Seat, base: Point) -> Point:
        if await self._add(seat, base.commit, adopt=True):
            await self._git.ask(self.path(seat.folder), "reset", "-q", "--hard", base.commit)
        return await self.reopen(seat)

    async def _holds(self, path: Path, bases: Sequence[Point]) -> bool:
        for base in bases:
            if (await self._git.attempt(path, "merge-base", "--is-ancestor", base.commit, "HEAD")).returncode != 0:
                return False
        return True

    async def _add(self, seat: Seat, commit: str, adopt: bool) -> bool:
        """True if the branch is new and begins at the commit; False if an older one was taken over."""
        path = self.path(seat.folder)
        clear_unfinished(self.common_dir, path)
        if is_worktree(path):
            return await self._switch(seat, commit)
        add = ("worktree", "add", "-q", "--no-checkout")
        new = (*add, "--no-track", "-b", seat.branch, str(path), commit)
        async with self._turn:
            if path.is_symlink() or path.is_file() or (path.is_dir() and any(path.iterdir())):
                set_aside(path)  # whatever it is, it is not ours to delete
            is_new = not adopt or not self.has_branch(seat.branch)
            if is_new and (await self._git.attempt(self.root, *new)).returncode == 0:
                return True
            # A folder deleted by hand is still registered, and a branch may be left from a try that was cut short.
            # Only this one is forgotten: another that is missing may be on a disk that is not there at the moment.
            await self._git.attempt(self.root, "worktree", "remove", str(path))
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
            if not is_laid_out(path):
                await self._git.ask(path, "reset", "-q", "--hard")
            return self._objects.find(f"refs/heads/{seat.branch}") == commit
        commit_it = self._commit if current.startswith(_OURS) else self._commit_beside
        await commit_it(path, f"chore: unfinished work on {current or 'no branch'}\n")
        await self.keep_head(seat)
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
            await self.keep(seat.folder, keeping)
        await self._add(seat, base.commit, adopt=True)
        remove_stale_locks(path)
        await self._keep_what_is_there(seat, {base.commit, keeping}, merging)
        await self._git.ask(path, "reset", "-q", "--hard", base.commit)
        if merging:
            # Conflicts are what we are here for: they stay in the files for the agent.
            await self._git.attempt(path, "merge", "-q", "--no-ff", "--no-commit", merging)
        return base

    async def _keep_what_is_there(self, seat: Seat, known: set[str], merging: str = "") -> None:
        """What somebody left on the branch or in its folder since we last looked."""
        path = self.path(seat.folder)
        under_way = git_dir(path) / "MERGE_HEAD"
        if merging and under_way.exists() and under_way.read_text().strip() == merging:
            return  # half a merge, left there by a try of ours that was cut short
        if (path / ".git").exists() and is_laid_out(path):
            await self._commit(path, f"chore: unfinished work on {seat.branch}\n")
        stands = self._objects.find(f"refs/heads/{seat.branch}")
        if stands and stands not in known:
            await self.keep(seat.folder, stands)

    async def reopen(self, seat: Seat) -> Point:
        path = self.path(seat.folder)
        if path.exists() and not is_worktree(path):
            await self._removal.reconnect(path)
        if not is_worktree(path):
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
        if path.exists() and not is_worktree(path):
            await self._removal.reconnect(path)
        if not is_worktree(path):
            raise WorktreeMissing(str(path))
        remove_stale_locks(path)
        if current_branch(path) == seat.branch:
            await self._commit(path, message)
        else:
            # The agent moved to a branch of its own (or to none): what counts is where it ended.
            await self._commit_beside(path, message)
            await self._keep_unless_in_head(seat)
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

    async def _commit_beside(self, path: Path, message: str) -> None:
        """Commits what is there, and leaves alone the branch that somebody put it on."""
        if current_branch(path):
            await self._git.ask(path, "checkout", "-q", "--detach")
        await self._commit(path, message)

    async def keep_head(self, seat: Seat) -> None:
        """Commits that are on no branch would be lost with the worktree's own notes."""
        path = self.path(seat.folder)
        if current_branch(path):
            return
        head = (await self._git.ask(path, "rev-parse", "HEAD")).strip()
        on_a_branch = await self._git.ask(
            path, "for-each-ref", "--contains", head, "--count=1", "refs/heads", "refs/toryo"
        )
        if not on_a_branch:
            await self.keep(seat.folder, head)

    async def _keep_unless_in_head(self, seat: Seat) -> None:
        """What the seat's branch has, before it is made to stand where its worktree does."""
        stands = self._objects.find(f"refs/heads/{seat.branch}")
        if stands is None:
            return
        path = self.path(seat.folder)
        if (await self._git.attempt(path, "merge-base", "--is-ancestor", stands, "HEAD")).returncode != 0:
            await self.keep(seat.folder, stands)

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
        async with self._turn:
            return await self._removal.folder(self.path(seat.folder), seat.branch)

    async def forget_branches(self, branches: Sequence[str], *, merged_into: str) -> None:
        await self._removal.branches([branch for branch in branches if self.has_branch(branch)], merged_into)


async def unmerged(git: Git, path: Path) -> tuple[str, ...]:
    """Files a merge could not bring together."""
    done = await git.attempt(path, "diff", "--name-only", "--diff-filter=U", "-z")
    names = done.stdout.decode(errors="surrogateescape").split("\0")
    return named(name for name in names if name)


def _on_disk(path: Path, name: str) -> bool:
    target = path / name
    return target.exists() or target.is_symlink()
