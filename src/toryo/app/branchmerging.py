"""Merging a branch into the one that is checked out, or landing it where it is a session's result."""

import os
from pathlib import Path

from toryo.adapters.git import branches as git_branches
from toryo.adapters.git.checkout import LOOK, look_at_checkout
from toryo.adapters.git.command import IDENTITY, Git
from toryo.adapters.git.place import Place, has_identity
from toryo.app.branchcare import refuse_at_work
from toryo.app.branchfinding import sight_of
from toryo.app.branchworks import UNREADABLE, reading
from toryo.app.leasing import conducting
from toryo.domain.branch import Branch
from toryo.domain.difference import readable
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import SessionState

_MOST_NAMED = 5


def merge(root: Path, name: str) -> str:
    sight, branch, every = sight_of(root, name)
    place = sight.place
    into = next((one for one in every if one.is_current), None)
    if into is None:
        hint = "switch to a branch (git switch NAME), then try again"
        raise ToryoError("E107", f"{place.root} is on no branch, so there is nothing to merge into", hint=hint)
    if into.name == name:
        raise ToryoError("E187", f"{name} is the branch that is checked out", hint="switch to the one it is to go into")
    refuse_at_work(place, branch)
    if landing := _landing_on(place, into.name):
        words = f"session '{landing}' is being landed on {into.name} just now"
        raise ToryoError("E187", words, hint="wait until that is done", exit_code=Exit.BUSY)
    if _is_result(branch, into):
        return _land(root, branch)
    return _merge(place, branch, into)


def _is_result(branch: Branch, into: Branch) -> bool:
    """A finished session's, on its way to where the session began: landing proves it again before it is merged."""
    work = branch.work
    return work is not None and not work.task and work.is_finished and not work.is_landed and work.base == into.name


def _landing_on(place: Place, name: str) -> str:
    """The session that somebody is about to move this branch for; empty: none."""
    try:
        with reading(place) as project:
            if conducting(project) is None:
                return ""
            rows = [row for row in project.summaries() if row["state"] == SessionState.LANDING]
            return next((row["title"] for row in rows if row["base_branch"] == name), "")
    except UNREADABLE:
        return ""


# ── landing ──────────────────────────────────────────────────────────────────


def _land(root: Path, branch: Branch) -> str:
    """Somebody in the background does it: whoever looks at branches conducts nothing."""
    from contextlib import closing

    from toryo.app.background import await_start, enqueue
    from toryo.app.landing import Wish, begin_landing
    from toryo.app.persons import only_a_person
    from toryo.app.project import open_project
    from toryo.domain.landing import LandingMode

    assert branch.work is not None
    with closing(open_project(root, writing=True)) as project:
        only_a_person(project)
        session = project.session(branch.work.session)
        session = begin_landing(project, session, Wish(LandingMode.MERGE))
        session, process = enqueue(project, session)
        await_start(project, process)
    return (
        f"session {session.short} is being landed on {session.base_branch}: brought up to date and proven again beside "
        f"your checkout, then merged; toryo undo {session.short} takes it back"
    )


# ── merging ──────────────────────────────────────────────────────────────────


def _merge(place: Place, branch: Branch, into: Branch) -> str:
    root, git = place.root, Git(os.environ).with_hooks()
    if not has_identity(place):
        git.use_identity(IDENTITY)
    if into.under_way:
        hint = f"finish or abort {into.under_way.removeprefix('a ')} first"
        raise ToryoError("E106", f"{into.under_way} is under way in {root}", hint=hint, exit_code=Exit.REFUSED)
    if git.run(root, "merge-base", "--is-ancestor", branch.commit, "HEAD").returncode == 0:
        return f"{into.name} has all of {branch.name} already; nothing was changed"
    _refuse_dirty(git, root)
    before = git_branches.resolved(git, root, "HEAD")
    message = f"Merge branch '{branch.name}' into {into.name}"
    done = git.run(root, "merge", "--no-edit", "-m", message, "--", branch.commit)
    if done.returncode != 0:
        raise _not_merged(git, root, branch, into, done.stderr + done.stdout)
    after = git_branches.resolved(git, root, "HEAD")
    count = git_branches.count_commits(git, root, before, branch.commit)
    how = "fast-forward" if after == branch.commit else f"merge commit {after[:12]}"
    commits = f"{count} commit{'s' if count != 1 else ''}"
    return f"merged {branch.name} into {into.name} ({commits}, {how}); git reset --keep {before[:12]} takes it back"


def _refuse_dirty(git: Git, root: Path) -> None:
    """Files that git does not know are in nobody's way unless the merge brings them, and then git says so."""
    changes = look_at_checkout(git.run(root, *LOOK).stdout).changes
    known = [path for path, how in changes.items() if not how.startswith("?")]
    if known:
        error = ToryoError(
            "E187",
            f"there are changes in {root} that are not committed ({len(known)})",
            hint="commit or stash them first",
            kept="everything as it is",
            exit_code=Exit.REFUSED,
        )
        raise error.with_details([f"not committed: {readable(path)}" for path in known[:_MOST_NAMED]])


def _not_merged(git: Git, root: Path, branch: Branch, into: Branch, said: bytes) -> ToryoError:
    """Aborted where it had begun; what is left is what was there before."""
    asked = git.run(root, "diff", "--name-only", "--diff-filter=U", "-z").stdout.decode(errors="surrogateescape")
    files = [readable(path) for path in asked.split("\0") if path]
    if (place_of_merge := git.run(root, "rev-parse", "--git-path", "MERGE_HEAD")).returncode == 0:
        merging = root / place_of_merge.stdout.decode(errors="surrogateescape").strip()
        if merging.exists() and (aborted := git.run(root, "merge", "--abort")).returncode != 0:
            words = aborted.stderr.decode(errors="replace").strip()
            hint = f"look at it: git -C {root} status"
            return ToryoError("E188", f"the merge failed and could not be aborted: {words}", hint=hint)
    if files:
        error = ToryoError(
            "E188",
            f"{branch.name} does not go together with {into.name}: conflicts in {len(files)} "
            f"file{'s' if len(files) != 1 else ''}; the merge was aborted",
            hint=f"settle it by hand: git merge {branch.name}; or bring {branch.name} up to date first",
            kept=f"{into.name} and your files, as they were",
            exit_code=Exit.REFUSED,
        )
        return error.with_details([f"conflict: {path}" for path in files[:_MOST_NAMED]])
    words = said.decode(errors="replace").strip()
    return ToryoError(
        "E188",
        f"git did not merge {branch.name}: {words[-500:]}",
        hint="what git says above is the cause",
        kept=f"{into.name} and your files, as they were",
        exit_code=Exit.REFUSED,
    )
