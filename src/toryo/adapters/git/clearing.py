"""Letting go of branches and worktrees whose work is proven to be elsewhere, many in a few git commands."""

from collections.abc import Sequence

from toryo.adapters.git.checkouts import checkouts
from toryo.adapters.git.command import Git
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.domain.errors import GitFailed
from toryo.ports import Going

Kept = tuple[tuple[str, str], ...]


class GitClearing:
    def __init__(self, git: Git, worktrees: GitWorktrees) -> None:
        self._git, self._worktrees, self._root = git, worktrees, worktrees.root

    async def let_go(self, going: Sequence[Going]) -> Kept:
        kept: dict[str, str] = {}
        for one in going:
            if why := await self._without_folder(one):
                kept[one.seat.branch] = why
        kept |= await self._taken([one for one in going if one.seat.branch not in kept])
        stands = await self._stands([one for one in going if one.seat.branch not in kept])
        last = []
        for one, commit in stands:
            if commit == one.commit:
                last.append(one)
            else:
                kept[one.seat.branch] = f"it was moved to {commit[:12]} by somebody"
        kept |= await self._delete(last)
        return tuple(kept.items())

    async def _without_folder(self, one: Going) -> str:
        try:
            return await self._worktrees.remove_folder(one.seat)
        except (GitFailed, OSError) as error:
            return str(error)

    async def _taken(self, going: Sequence[Going]) -> dict[str, str]:
        """Branches that somebody has checked out elsewhere."""
        names = {one.seat.branch for one in going}
        places = await checkouts(self._git, self._root)
        return {
            place.branch: f"it is checked out in {place.path}"
            for place in places
            if place.is_there and place.branch in names
        }

    async def _stands(self, going: Sequence[Going]) -> list[tuple[Going, str]]:
        """Those that are there, and where they stand."""
        listed = await self._git.ask(self._root, "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads")
        there = {ref: commit for commit, _, ref in (line.partition(" ") for line in listed.splitlines())}
        named = ((one, there.get(f"refs/heads/{one.seat.branch}")) for one in going)
        return [(one, commit) for one, commit in named if commit]

    async def _delete(self, going: Sequence[Going]) -> dict[str, str]:
        """All at once; if git refuses that, one by one, to learn which it is about."""
        if not going:
            return {}
        orders = "".join(map(_order, going)).encode(errors="surrogateescape")
        done = await self._git.attempt(self._root, "update-ref", "--stdin", given=orders)
        if done.returncode == 0:
            return {}
        if len(going) == 1:
            return {going[0].seat.branch: done.stderr.decode(errors="replace").strip()}
        kept: dict[str, str] = {}
        for one in going:
            kept |= await self._delete([one])
        return kept


def _order(one: Going) -> str:
    keep = f"update {one.kept_as} {one.commit}\n" if one.kept_as else ""
    # Proven for exactly this commit; if the branch has moved since, git refuses.
    return f"{keep}delete refs/heads/{one.seat.branch} {one.commit}\n"
