"""What will collide, looked at now: live work, merged work, and the branch that a session began from."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.git.foresight import GitForesight
from toryo.app.project import Project
from toryo.domain.errors import Exit, GitFailed, ToryoError
from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.engine.performers.recording import seat_of
from toryo.ports import Sight
from toryo.rules.collisions import Work, works_of
from toryo.views.outlook import Ahead, Outlook

_MERGED_WORK = 0
"""Stands for the session's branch among the numbers of tasks, which begin with 1."""


@fact
class _Base:
    """The branch that the session began from, as it is now; empty: it is gone."""

    commit: str
    has_moved: bool


def foresee(project: Project, session: Session) -> Outlook:
    """Tries every merge that may come; nothing in the repository is touched."""
    try:
        return _foresee(project, session)
    except GitFailed as failed:
        hint = "'toryo doctor' shows the version of git"
        raise ToryoError(
            "E229", f"collisions cannot be foreseen: {failed}", hint=hint, exit_code=Exit.MISSING
        ) from failed


def _foresee(project: Project, session: Session) -> Outlook:
    works = works_of(session)
    sights = tuple(_sight(project, session, work) for work in works)
    with foresight_of(project) as foresight:
        picture = foresight.look(sights, session.tip)
        ahead = [Ahead(clash.task, clash.other, clash.files) for clash in picture.clashes]
        base = _base(project, session)
        if base.commit and base.has_moved and not (session.landing and session.landing.is_over):
            merged = (Sight(_MERGED_WORK, session.tip),) if session.tip != session.base_commit else ()
            on_base = foresight.look((*merged, *sights), base.commit).clashes
            ahead += [
                Ahead(clash.task or None, None, clash.files, is_landing=True)
                for clash in on_base
                if clash.other is None
            ]
    return Outlook(session, tuple(ahead), tuple(work.task for work in works), picture.unseen)


@contextmanager
def foresight_of(project: Project) -> Iterator[GitForesight]:
    """In a folder of its own outside the repository, which may be read-only."""
    place = project.place
    with tempfile.TemporaryDirectory(prefix="toryo-", ignore_cleanup_errors=True) as folder:
        yield GitForesight(
            Git(os.environ),
            root=place.root,
            common_dir=place.common_dir,
            folder=Path(folder),
            cache=place.store / "foreseen.json",
        )


def _sight(project: Project, session: Session, work: Work) -> Sight:
    if work.commit:
        return Sight(work.task, work.commit)
    folder = seat_of(session, session.tasks[work.task]).folder
    return Sight(work.task, worktree=project.place.root / ".worktrees" / folder, mark="now")


def _base(project: Project, session: Session) -> _Base:
    asked = ("rev-parse", "--verify", "-q", f"refs/heads/{session.base_branch}")
    done = Git(os.environ).run(project.place.root, *asked)
    commit = done.stdout.decode().strip() if done.returncode == 0 else ""
    contained = session.landing.onto if session.landing else ""
    return _Base(commit, commit not in (session.base_commit, contained))
