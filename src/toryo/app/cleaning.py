"""Clearing away what sessions left behind, once git has proven that nothing would be lost."""

import os
from dataclasses import dataclass, field

from toryo.adapters.git.command import Git
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.adapters.maskedfiles import mask_left_behind
from toryo.app.leasing import lease_of
from toryo.app.project import Project
from toryo.domain.session import Session, SessionState
from toryo.domain.task import LIVE, TaskState
from toryo.ports import Seat
from toryo.rules.naming import folder_of


@dataclass
class Swept:
    removed: list[str] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)


async def clean(project: Project, *, dry_run: bool) -> Swept:
    """Task branches merged into their session's branch; session branches merged into their base or pushed."""
    swept = Swept()
    with lease_of(project) as lease:
        git = Git(os.environ, lease_fd=lease.fd)
        objects = Objects(git, project.place.root)
        worktrees = GitWorktrees(git, objects, project.place.root)
        try:
            for row in project.summaries():
                session = project.load(row["id"])
                await _clean_session(git, objects, worktrees, project, session, swept, dry_run)
        finally:
            objects.close()
        if not dry_run:
            mask_left_behind((project.place.store / "runs").glob("*"))
        return swept


async def _clean_session(
    git: Git,
    objects: Objects,
    worktrees: GitWorktrees,
    project: Project,
    session: Session,
    swept: Swept,
    dry_run: bool,
) -> None:
    is_closed = session.state is SessionState.CLOSED
    seats = [
        Seat(task.plan.branch, folder_of(task.plan.branch))
        for task in session.tasks.values()
        if task.state is TaskState.INTEGRATED or (is_closed and task.state not in LIVE)
    ]
    if is_closed:
        seats.append(Seat(session.branch, folder_of(session.branch)))
    targets = [f"refs/heads/{session.branch}", f"refs/heads/{session.base_branch}"]
    for seat in seats:
        commit = objects.find(f"refs/heads/{seat.branch}")
        if commit is None:
            continue
        others = [target for target in targets if target != f"refs/heads/{seat.branch}"]
        home = await _proof(git, project, seat, commit, others)
        if home is None:
            swept.kept.append((seat.branch, "its work is neither merged nor pushed"))
        elif dry_run:
            swept.removed.append(seat.branch)
        else:
            await _remove(git, worktrees, project, seat, commit, swept)


async def _proof(git: Git, project: Project, seat: Seat, commit: str, targets: list[str]) -> str | None:
    """A ref that holds the commit: merged into one of the targets, or pushed under its own name."""
    root = project.place.root
    pushed = await git.ask(root, "for-each-ref", "--format=%(refname)", f"refs/remotes/*/{seat.branch}")
    for target in [*targets, *pushed.split()]:
        if (await git.attempt(root, "merge-base", "--is-ancestor", commit, target)).returncode == 0:
            return target
    return None


async def _remove(git: Git, worktrees: GitWorktrees, project: Project, seat: Seat, commit: str, swept: Swept) -> None:
    why_not = await worktrees.remove_folder(seat)
    if why_not:
        swept.kept.append((seat.branch, why_not))
        return
    # Proven above for exactly this commit; if the branch has moved since, git refuses.
    done = await git.attempt(project.place.root, "update-ref", "-d", f"refs/heads/{seat.branch}", commit)
    if done.returncode == 0:
        swept.removed.append(seat.branch)
    else:
        swept.kept.append((seat.branch, done.stderr.decode(errors="replace").strip()))
