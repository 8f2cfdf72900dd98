"""What a session or a task has changed, shown by git itself."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from toryo.adapters.git import patches
from toryo.adapters.git.command import Git
from toryo.adapters.git.snapshots import Snapshots
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task, TaskState
from toryo.engine.performers.recording import seat_of
from toryo.rules.masking import mask_output
from toryo.views.screen import printable

_MOST_LINES = 50_000


@fact
class Between:
    """Two commits, and git that sees both."""

    base: str
    commit: str
    where: Path
    git: Git

    @property
    def is_empty(self) -> bool:
        return not self.base or not self.commit or self.base == self.commit


@contextmanager
def between(project: Project, session: Session, task: Task | None) -> Iterator[Between]:
    """What the work began from, and what it is now; of a task at work also what is not committed yet."""
    import tempfile

    git, place = Git(os.environ), project.place
    with tempfile.TemporaryDirectory(prefix="toryo-", ignore_cleanup_errors=True) as folder:
        snapshots = Snapshots(git, place.common_dir, Path(folder))
        base, commit = _of_session(session) if task is None else _of_task(project, session, task, snapshots)
        found = Between(base, commit, place.root, snapshots.git())
        if not found.is_empty:
            _refuse_missing(found, session, task)
        yield found


def _of_session(session: Session) -> tuple[str, str]:
    """What others did to the branch it is landed on meanwhile is not its own."""
    brought_in = session.landing.onto if session.landing and session.landing.updated == session.tip else ""
    return brought_in or session.base_commit, session.tip


def _of_task(project: Project, session: Session, task: Task, snapshots: Snapshots) -> tuple[str, str]:
    run = task.run
    is_shown = task.state is TaskState.ACCEPTED or (run is not None and run.observation is not None)
    if task.base and task.worktree and task.state not in MERGED and not is_shown:
        worktree = project.place.root / ".worktrees" / seat_of(session, task).folder
        if taken := snapshots.take(worktree):
            return task.base, taken
    if not task.commit:
        return "", ""
    return task.base or _common(project, session.tip, task.commit), task.commit


def _common(project: Project, one: str, other: str) -> str:
    """Where a task began that is to begin anew."""
    done = Git(os.environ).run(project.place.root, "merge-base", one, other)
    return done.stdout.decode().strip()


def _refuse_missing(found: Between, session: Session, task: Task | None) -> None:
    for commit in (found.base, found.commit):
        if found.git.run(found.where, "cat-file", "-e", f"{commit}^{{commit}}").returncode != 0:
            what = f"task {task.plan.key}" if task else f"session {session.short}"
            raise ToryoError(
                "E228",
                f"the commits of {what} are not in the repository any more ({commit[:12]})",
                hint=f"what it changed is listed by 'toryo info {task.plan.key if task else session.short}'",
            )


# ── reading ──────────────────────────────────────────────────────────────────


def changes_so_far(root: Path, session_id: str, key: str = "") -> list[str]:
    """What a task, or a whole session, has changed so far, which files first; masked, for a screen that stays open."""
    with closing(open_project(root)) as project:
        session = project.load(session_id)
        with between(project, session, session.task(key) if key else None) as found:
            if found.is_empty:
                return []
            listed = list(difference_lines(found, "--stat=100"))
            patch = list(islice(difference_lines(found), _MOST_LINES + 1))
    more = [f"… there is more: toryo diff {key or session.short}"] if len(patch) > _MOST_LINES else []
    text = mask_output("\n".join([*listed, "", *patch[:_MOST_LINES]]))
    return [printable(line.expandtabs(4)) for line in text.split("\n")] + more


# ── showing ──────────────────────────────────────────────────────────────────


def show_difference(found: Between, *options: str, on_screen: bool) -> int:
    """On a screen as its person is used to, elsewhere as a patch; git's exit code."""
    show = patches.show_on_screen if on_screen else patches.write_patch
    return show(found.git, found.where, found.base, found.commit, *options)


def difference_lines(found: Between, *options: str) -> Iterator[str]:
    """The same line by line, for whoever shows it themselves."""
    return patches.patch_lines(found.git, found.where, found.base, found.commit, *options)


def files_in(found: Between) -> list[dict[str, Any]]:
    return [] if found.is_empty else patches.file_rows(found.git, found.where, found.base, found.commit)
