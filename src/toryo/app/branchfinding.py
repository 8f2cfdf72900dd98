"""One branch by its name; and a name that nothing has says which ones are near."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from toryo.app.branchsight import Sight
from toryo.domain.branch import Branch
from toryo.domain.errors import ToryoError


def sight_of(root: Path, name: str) -> tuple[Sight, Branch, tuple[Branch, ...]]:
    """The branch as it is now, all of them, and who has just looked."""
    sight = Sight(root)
    every = sight.look()
    return sight, named(every, name), every


def named(branches: Sequence[Branch], name: str) -> Branch:
    for branch in branches:
        if branch.name == name:
            return branch
    near = difflib.get_close_matches(name, [branch.name for branch in branches], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "'git branch' lists those that are here"
    raise ToryoError("E180", f"there is no branch '{name}'", hint=hint)


def base_of(sight: Sight, branch: Branch, branches: Sequence[Branch]) -> str:
    """The local branch that its work is a change to; empty: it is that one itself, or there is none."""
    wanted = (branch.work.base if branch.work else "", sight.base)
    names = {one.name for one in branches} - {branch.name}
    return next((name for name in wanted if name in names), "")
