"""Looking at all branches of a repository again and again, at the cost of what has changed."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from toryo.adapters.git import branches as git_branches
from toryo.adapters.git.branches import Ref
from toryo.adapters.git.checkout import LOOK, look_at_checkout
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import find_place, under_way
from toryo.adapters.git.upkeep import git_dir
from toryo.app.branchhands import hands_in
from toryo.app.branchworks import Works
from toryo.domain.branch import Branch, Work
from toryo.domain.changing import changed

_HEADS = "refs/heads/"
_AT_ONCE = 64
"""So many branches are counted in one git command: of a large history that takes its time."""
_LOOKS_AT_ONCE = 4
_LEAST_REST, _REST_FOR = 15.0, 20.0
"""Worktrees in which nothing was done with git are looked at after so many seconds, or so many times what it took."""
_MOST_KNOWN = 20_000

_Pair = tuple[str, str]
_known: dict[_Pair, tuple[int, int] | None] = {}
"""Distances between two commits, which never change; None: they cannot be counted."""


class Sight:
    """What was seen last, so that the next look need not see it again. Every method is for a thread."""

    def __init__(self, root: Path) -> None:
        self.place = find_place(root)
        self._root = self.place.root
        self._git = Git(os.environ)
        self._works = Works(self.place)
        self._changes: dict[str, tuple[object, float, int | None]] = {}
        """By worktree: how its index looked then, when that was, and how many paths were not committed."""
        self._rest = _LEAST_REST
        self._against: dict[str, tuple[str, str]] = {}
        """By branch: the ref that it is compared to, and where that stands."""
        self._last: dict[str, Branch] = {}
        self.base = ""
        """The branch that others are measured by; empty: there is none."""

    def look(self) -> tuple[Branch, ...]:
        """One or two git commands, however many branches there are."""
        refs = git_branches.listed(self._git, self._root)
        works = self._works.look({ref.name for ref in refs})
        whole = [ref for ref in refs if not ref.broken]
        current = _current_of(whole, self._root)
        self.base = git_branches.default_base(self._git, self._root, (ref.name for ref in whole)) or current
        self._compare(whole, works)
        hands = hands_in(self.place)
        return self._kept(self._branch(ref, works.get(ref.name), hands.get(ref.name, "")) for ref in refs)

    def _branch(self, ref: Ref, work: Work | None, by_hand: str) -> Branch:
        against, stands = self._against.get(ref.name, ("", ""))
        ahead, behind = _known.get((ref.commit, stands)) or (None, None)
        worktree = ref.worktree if ref.worktree and (Path(ref.worktree) / ".git").exists() else ""
        return Branch(
            ref.name,
            ref.commit,
            ref.subject,
            ref.committed_at,
            ref.author,
            is_current=worktree == str(self._root),
            upstream=ref.upstream_short,
            compared_to=ref.upstream_short or against.removeprefix(_HEADS),
            ahead=ahead,
            behind=behind,
            worktree=worktree,
            changes=self._changes[worktree][2] if worktree in self._changes else None,
            under_way=_under_way(Path(worktree)) if worktree else "",
            work=work,
            by_hand=by_hand,
            broken=ref.broken,
        )

    def _kept(self, branches: Iterable[Branch]) -> tuple[Branch, ...]:
        """The very ones of the last look where nothing is different: two looks are then compared in no time."""
        seen = tuple(last if (last := self._last.get(one.name)) == one else one for one in branches)
        self._last |= {one.name: one for one in seen}
        return seen

    def _compare(self, refs: Sequence[Ref], works: Mapping[str, Work]) -> None:
        """Notes what each is compared to: its upstream, the branch its session began from, or the usual one."""
        stands = {_HEADS + ref.name: ref.commit for ref in refs}
        if any(ref.upstream and ref.upstream not in stands for ref in refs):
            stands |= git_branches.on_remotes(self._git, self._root)
        self._against = {}
        for ref in refs:
            work = works.get(ref.name)
            bases = (work.base if work else "", self.base)
            local = (_HEADS + name for name in bases if name and name != ref.name)
            against = ref.upstream or next((name for name in local if name in stands), "")
            if against in stands:
                self._against[ref.name] = (against, stands[against])

    # ── what takes longer ────────────────────────────────────────────────────

    def uncounted(self, branches: Iterable[Branch]) -> list[Branch]:
        return [one for one in branches if one.name in self._against and self._pair(one) not in _known]

    def count(self, branches: Sequence[Branch], *, within: float) -> tuple[Branch, ...]:
        """Ahead and behind, of those that are not known; after so many seconds the rest is left for another time."""
        give_up = time.monotonic() + within
        left = self.uncounted(branches)
        while left and time.monotonic() < give_up:
            some, left = left[:_AT_ONCE], left[_AT_ONCE:]
            against = {one.name: self._against[one.name][0] for one in some}
            found = git_branches.distances(self._git, self._root, against, os.environ)
            if len(_known) > _MOST_KNOWN:
                _known.clear()
            _known.update({self._pair(one): found.get(one.name) for one in some})
        return self._kept(self._counted(one) for one in branches)

    def _counted(self, one: Branch) -> Branch:
        found = _known.get(self._pair(one))
        return changed(one, ahead=found[0], behind=found[1]) if found else one

    def _pair(self, one: Branch) -> _Pair:
        return one.commit, self._against.get(one.name, ("", ""))[1]

    def look_at_changes(self, branches: Sequence[Branch]) -> tuple[Branch, ...]:
        """What is not committed in their worktrees."""
        return self.with_changes(branches, [one.worktree for one in branches if one.worktree])

    def stale(self, branches: Iterable[Branch]) -> list[str]:
        """Worktrees that should be looked at again: something was done with git there, or it is a while ago."""
        long_ago = time.monotonic() - self._rest
        every = ((one.worktree, self._changes.get(one.worktree)) for one in branches if one.worktree)
        return [place for place, known in every if not known or known[1] < long_ago or known[0] != _marks(place)]

    def with_changes(self, branches: Sequence[Branch], places: Sequence[str]) -> tuple[Branch, ...]:
        """These worktrees are looked at, several at a time; of the others what was seen last is told again."""
        began = time.monotonic()
        places = list(dict.fromkeys(places))
        marks = {place: _marks(place) for place in places}
        with ThreadPoolExecutor(_LOOKS_AT_ONCE) as pool:
            for place, count in zip(places, pool.map(self._count_changes, places), strict=True):
                self._changes[place] = (marks[place], time.monotonic(), count)
        # In a large repository looking takes long, and nobody wants a machine that does nothing else.
        self._rest = max(_LEAST_REST, _REST_FOR * (time.monotonic() - began))
        seen = {place: self._changes[place][2] for place in {one.worktree for one in branches} & self._changes.keys()}
        return self._kept(changed(one, changes=seen.get(one.worktree)) for one in branches)

    def _count_changes(self, place: str) -> int | None:
        try:
            done = self._git.run(Path(place), *LOOK)
        except OSError:
            return None  # gone meanwhile
        return len(look_at_checkout(done.stdout).changes) if done.returncode == 0 else None


def _marks(worktree: str) -> object:
    """What changes whenever somebody adds or commits something there."""
    try:
        own = _git_dir(Path(worktree))
        return [(found.st_ino, found.st_mtime_ns) for found in map(os.stat, (own / "index", own / "HEAD"))]
    except OSError:
        return None


def _git_dir(worktree: Path) -> Path:
    own = worktree / ".git"
    return own if own.is_dir() else git_dir(worktree)


def _current_of(refs: Iterable[Ref], root: Path) -> str:
    return next((ref.name for ref in refs if ref.worktree == str(root)), "")


def _under_way(worktree: Path) -> str:
    try:
        return under_way(_git_dir(worktree))
    except OSError:
        return ""
