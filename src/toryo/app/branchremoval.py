"""Deleting a branch as clean-up does: never by force, and only once its work is proven to be elsewhere."""

import os
from pathlib import Path

from toryo.adapters.git import branches as git_branches
from toryo.adapters.git.clearing import GitClearing
from toryo.adapters.git.command import Git
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.place import Place
from toryo.adapters.git.whereabouts import REBASED, SQUASHED, Line, Whereabouts
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.app.branchcare import refusal, refuse_at_work
from toryo.app.branchfinding import base_of, sight_of
from toryo.app.branchworks import UNREADABLE, reading
from toryo.app.pausing import run
from toryo.domain.branch import Branch, Commit
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.session import Session, SessionState
from toryo.ports import Going, Seat
from toryo.rules.naming import folder_of

_MOST_NAMED = 5
_NOWHERE = ".none"


@fact
class _Case:
    """A branch that somebody wants deleted, and what is known about it."""

    place: Place
    branch: Branch
    base: str
    since: str
    """The commit at which it left its base; empty: nobody knows."""
    session: Session | None

    @property
    def worktrees(self) -> Path:
        return self.place.root / ".worktrees"


def why_not_deletable(root: Path, name: str) -> str:
    try:
        case = _case(root, name)
        _refuse_unsaved(case)
        run(_home(case))
    except ToryoError as error:
        return "\n".join((error.message, *error.details, *([f"hint: {error.hint}"] if error.hint else [])))
    return ""


def delete(root: Path, name: str, *, with_worktree: bool) -> str:
    case = _case(root, name)
    _refuse_unsaved(case)
    branch = case.branch
    if branch.worktree and not with_worktree:
        hint = f"delete the worktree with it, or remove it first: git worktree remove {branch.worktree}"
        raise refusal("E185", f"{name} is checked out in {branch.worktree}", hint)
    home = run(_let_go(case))
    also = f", and its worktree {_shown(case, branch.worktree)}" if branch.worktree else ""
    return f"deleted {name}{also}: its work is {home}; git branch {name} {branch.commit[:12]} brings it back"


def _shown(case: _Case, worktree: str) -> str:
    path = Path(worktree)
    return str(path.relative_to(case.place.root)) if path.is_relative_to(case.place.root) else worktree


# ── what there is ────────────────────────────────────────────────────────────


def _case(root: Path, name: str) -> _Case:
    sight, branch, every = sight_of(root, name)
    (branch,) = sight.look_at_changes([branch])
    base = base_of(sight, branch, every)
    place, git = sight.place, Git(os.environ)
    since = git_branches.merge_base(git, place.root, f"refs/heads/{base}", branch.commit) if base else ""
    if branch.is_current:
        raise refusal("E185", f"{name} is checked out in {branch.worktree}", "switch to another branch there first")
    return _Case(place, branch, base, since, refuse_at_work(place, branch))


def _refuse_unsaved(case: _Case) -> None:
    """Whatever git would not know of, or would say less plainly."""
    branch, name = case.branch, case.branch.name
    _refuse_as_base(case)
    if branch.under_way:
        raise refusal("E185", f"{branch.under_way} is under way in {branch.worktree}", "finish or abort it first")
    if branch.worktree and not Path(branch.worktree).is_relative_to(case.worktrees):
        hint = f"that worktree is yours to remove: git worktree remove {branch.worktree}"
        raise refusal("E185", f"{name} is checked out in {branch.worktree}", hint)
    if branch.worktree and branch.changes is None:
        hint = f"git -C {branch.worktree} status"
        raise refusal("E185", f"what is not committed in {branch.worktree} cannot be seen", hint)
    if branch.changes:
        lines = git_branches.status_lines(Git(os.environ), Path(branch.worktree))
        error = refusal(
            "E185",
            f"{name} has changes in its worktree that are not committed ({branch.changes})",
            f"commit them there, or throw them away: {branch.worktree}",
        )
        raise error.with_details([f"would be lost: {line}" for line in lines[:_MOST_NAMED]])


def _refuse_as_base(case: _Case) -> None:
    """A session that is not finished has nowhere to land without the branch it began from."""
    name = case.branch.name
    try:
        with reading(case.place) as project:
            rows = [row for row in project.summaries() if row["base_branch"] == name]
    except UNREADABLE as error:
        hint = "'toryo doctor' looks at the journal"
        raise refusal("E184", f"whether a session needs {name} cannot be seen: {error}", hint) from error
    waiting = [row for row in rows if row["state"] != SessionState.CLOSED]
    if waiting:
        words = f"session '{waiting[0]['title']}' began from {name}, is not finished, and lands on it"
        raise refusal("E184", words, "land or discard it first")


# ── letting go ───────────────────────────────────────────────────────────────


async def _home(case: _Case) -> str:
    """How its work is proven to be elsewhere; raises ToryoError where it is not."""
    branch, session = case.branch, case.session
    whose = session.branch if session else branch.name
    since = session.base_commit if session else case.since
    targets = (case.base,) if case.base else ()
    line = Line(branch.name, branch.commit, case.since, whose, since, targets)
    found = await Whereabouts(Git(os.environ), case.place.root).find([line])
    if branch.name in found:
        return found[branch.name]
    raise _nowhere_else(case)


def _nowhere_else(case: _Case) -> ToryoError:
    branch, git = case.branch, Git(os.environ)
    others = ("--not", f"--exclude={branch.name}", "--branches", "--remotes")
    lost = git_branches.log(git, case.place.root, "--ignore-missing", branch.commit, *others)
    count = f"{len(lost)} commit{'s' if len(lost) != 1 else ''}"
    into = f"merge it into {case.base}, or push it" if case.base else "push it"
    error = ToryoError(
        "E186",
        f"{branch.name} has work that is nowhere else: {count}, neither merged nor pushed",
        hint=f"{into}; to lose it on purpose: git branch -D {branch.name}",
        kept="the branch and its worktree, as they are",
        exit_code=Exit.REFUSED,
    )
    return error.with_details([f"would be lost: {_words(one)}" for one in lost[:_MOST_NAMED]])


def _words(one: Commit) -> str:
    return f"{one.id} {one.subject}"


async def _let_go(case: _Case) -> str:
    branch, place = case.branch, case.place
    home = await _home(case)
    git = Git(os.environ)
    objects = Objects(git, place.root)
    try:
        worktrees = GitWorktrees(git, objects, place.root)
        folder = _folder(case)
        kept_as = f"refs/toryo/kept/{folder}/{branch.commit[:12]}"
        # What others have made anew stays reachable where a proof needs it.
        needs_keeping = case.session is not None and home in (SQUASHED, REBASED)
        going = Going(Seat(branch.name, folder), branch.commit, kept_as if needs_keeping else "")
        for _, why in await GitClearing(git, worktrees).let_go([going]):
            raise refusal("E185", f"{branch.name} stays: {why}", "look at what is there, then try again")
    finally:
        objects.close()
    # Else a new branch of that name would have the old one's upstream.
    await git.attempt(place.root, "config", "--local", "--remove-section", f"branch.{branch.name}")
    return home


def _folder(case: _Case) -> str:
    """Where its worktree is, or would be that git may have lost sight of; only Toryo's own have a fixed place."""
    branch = case.branch
    if branch.worktree:
        return str(Path(branch.worktree).relative_to(case.worktrees))
    return folder_of(branch.name) if branch.is_agents else _NOWHERE
