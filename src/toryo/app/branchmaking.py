"""Making a branch, and a worktree to work on one."""

import os
import re
import time
from pathlib import Path

from toryo.adapters.git import branches as git_branches
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Place, cannot_write, ensure_store, find_place, refuse_if_empty
from toryo.app.branchfinding import named, sight_of
from toryo.app.branchsight import Sight
from toryo.domain.branch import OURS, Branch
from toryo.domain.errors import Exit, ToryoError
from toryo.rules.naming import folder_of

_MOST_TRIES = 3
_PATIENCE = 0.05
_LONGEST_FOLDER = 60


def create(root: Path, name: str, start: str) -> Branch:
    sight = Sight(root)
    git, place = Git(os.environ), sight.place
    refuse_if_empty(place)
    name = name.strip()
    _refuse_unusable(git, place, name)
    every = sight.look()
    if name in {one.name for one in every}:
        raise _taken(name, f"there is a branch '{name}' already", every)
    commit = git_branches.resolved(git, place.root, start or "HEAD")
    if not commit:
        named(every, start)  # says which ones are near
        raise ToryoError("E180", f"'{start}' is no commit", hint="name a branch, a tag or a commit")
    done = git.run(place.root, "branch", "--no-track", "--", name, commit)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise _taken(name, f"git does not make the branch '{name}': {said}", every)
    return named(Sight(root).look(), name)


def _refuse_unusable(git: Git, place: Place, name: str) -> None:
    if name and git_branches.is_name(git, place.root, name):
        return
    better = re.sub(r"[^\w./-]+", "-", name).strip("-./")
    is_better = bool(better) and better != name and git_branches.is_name(git, place.root, better)
    raise ToryoError(
        "E181",
        f"'{name}' cannot be a branch's name" if name else "the branch has no name",
        hint=f"perhaps {better}?" if is_better else "letters, digits, and -, _, . or / between them",
    )


def _taken(name: str, says: str, branches: tuple[Branch, ...]) -> ToryoError:
    taken = {one.name for one in branches}
    free = next(f"{name}-{number}" for number in range(2, len(taken) + 3) if f"{name}-{number}" not in taken)
    return ToryoError("E182", says, hint=f"{free} is free", exit_code=Exit.REFUSED)


# ── worktrees ────────────────────────────────────────────────────────────────


def make_worktree(root: Path, name: str) -> Path:
    git, place = Git(os.environ), find_place(root)
    ensure_store(place)
    for _ in range(_MOST_TRIES):
        _, branch, _ = sight_of(root, name)
        if branch.worktree:
            return Path(branch.worktree)
        path = _free_folder(place, name)
        if (said := _add(git, place, path, name)) is None:
            return path
        time.sleep(_PATIENCE)  # somebody else may be making just this one
    raise ToryoError(
        "E183",
        f"git makes no worktree for {name}: {said}",
        hint="'git worktree list' shows where it is; 'git worktree prune' forgets folders that are gone",
        exit_code=Exit.REFUSED,
    )


def _add(git: Git, place: Place, path: Path, name: str) -> str | None:
    """What git had to say; None: it is there."""
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise cannot_write(path.parent, error) from error
    if not path.exists():
        # A folder deleted by hand is still registered; only this one is forgotten, as others may be on other disks.
        git.run(place.root, "worktree", "remove", str(path))
    done = git.run(place.root, "worktree", "add", "-q", "--", str(path), name)
    return None if done.returncode == 0 else done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")


def _free_folder(place: Place, name: str) -> Path:
    """As Toryo calls its own; where that is taken by something else, with a number."""
    plain = folder_of(name) if name.startswith(OURS) else name
    plain = re.sub(r"[^\w.-]+", "-", plain).strip("-.")[:_LONGEST_FOLDER] or "branch"
    paths = (place.root / ".worktrees" / (f"{plain}-{number}" if number > 1 else plain) for number in range(1, 1000))
    return next(path for path in paths if not path.exists() and not path.is_symlink())
