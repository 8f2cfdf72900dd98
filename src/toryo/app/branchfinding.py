"""One branch by its name; and a name that nothing has says which ones are near."""

import difflib
import shlex
from collections.abc import Sequence
from pathlib import Path

from toryo.adapters.git.branches import UNREADABLE
from toryo.app.branchsight import Sight
from toryo.domain.branch import Branch
from toryo.domain.errors import ToryoError


def sight_of(root: Path, name: str) -> tuple[Sight, Branch, tuple[Branch, ...]]:
    """The branch as it is now, all that are whole, and who has just looked."""
    sight = Sight(root)
    every = sight.look()
    found = named(every, name)
    if found.broken:
        raise ToryoError("E189", f"the branch {name} is broken: {found.broken}", hint=_mending(sight, found))
    return sight, found, tuple(one for one in every if not one.broken)


def _mending(sight: Sight, branch: Branch) -> str:
    """What a person can do about it; git itself does not touch a ref that it cannot read."""
    ref, common = f"refs/heads/{branch.name}", sight.place.common_dir
    log, quoted = common / "logs" / ref, shlex.quote(ref)
    known = f"{log} tells which commits it had" if log.is_file() else "'git fsck --lost-found' looks for its commits"
    if branch.broken == UNREADABLE:
        anew = f"git branch {shlex.quote(branch.name)} COMMIT"
        return f"{known}; remove it: rm {shlex.quote(str(common / ref))}; and make it anew: {anew}"
    return f"{known}; point it at one: git update-ref {quoted} COMMIT; or remove it: git update-ref -d {quoted}"


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
