"""Clearing away what sessions left behind, once git has proven that nothing would be lost."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from toryo.adapters.git.clearing import GitClearing
from toryo.adapters.git.command import IDENTITY, Git
from toryo.adapters.git.leavings import Leavings
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.place import has_identity
from toryo.adapters.git.whereabouts import REBASED, SQUASHED, Line, Whereabouts
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.adapters.maskedfiles import mask_left_behind
from toryo.app.leasing import lease_of
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import GitFailed
from toryo.domain.facts import fact
from toryo.domain.session import Session, SessionState
from toryo.domain.task import LIVE, TaskState
from toryo.engine.performers.recording import home_of, seat_of
from toryo.ports import Going, Seat
from toryo.rules.landing import is_open


@dataclass
class Swept:
    removed: list[tuple[str, str]] = field(default_factory=list)
    """Branches, and where their work is."""
    leftovers: list[str] = field(default_factory=list)
    """Folders and files of ours that something cut short had left."""
    kept: list[tuple[str, str]] = field(default_factory=list)
    freed: int = 0
    """Bytes, of worktrees."""


@fact
class Candidate:
    """A branch that Toryo made and may no longer be needed."""

    seat: Seat
    line: Line
    is_workplace: bool
    """An agent worked there: what is not committed may be its work."""
    kept_as: str
    """The ref that keeps its commits, where others have made its changes again; proof needs them."""


class Cleaning:
    def __init__(self, git: Git, objects: Objects, worktrees: GitWorktrees, *, dry_run: bool) -> None:
        self._git, self._objects, self._worktrees, self._dry_run = git, objects, worktrees, dry_run
        self._leavings = Leavings(git, worktrees)
        self.swept = Swept()
        self._why: dict[str, str] = {}

    async def sweep(self, sessions: Sequence[Session], only: Session | None = None) -> Swept:
        """Of these, latest first; of one of them where only that is wanted."""
        # A name may come again once its branch is gone: only the latest session that has it may speak for it.
        whose = {seat.branch: session.id for session in reversed(sessions) for seat in _seats(session)}
        sessions = [session for session in sessions if only is None or only.id == session.id]
        closed = [session for session in sessions if session.state is SessionState.CLOSED]
        seats = [seat for session in closed for seat in _seats(session) if whose[seat.branch] == session.id]
        await self._leftovers({seat.folder for seat in seats}, {seat.branch for seat in seats})
        candidates = [(session, one) for session in sessions for one in self._candidates(session)]
        wanted = [one for session, one in candidates if whose[one.seat.branch] == session.id]
        wanted = [await self._with_work_committed(one) for one in wanted]
        lines = [one.line for one in wanted if one.line.commit]
        homes = await Whereabouts(self._git, self._worktrees.root).find(lines)
        for one in wanted:
            if one.line.branch not in homes:
                self.swept.kept.append((one.line.branch, self._why.get(one.line.branch, _NOWHERE)))
        await self._let_go([one for one in wanted if one.line.branch in homes], homes)
        return self.swept

    # ── what there is ────────────────────────────────────────────────────────

    def _candidates(self, session: Session) -> Iterable[Candidate]:
        is_closed = session.state is SessionState.CLOSED
        landing = session.landing
        asked = (
            {request.branch for request in landing.requests if is_open(request)} if landing and not is_closed else ()
        )
        targets = tuple(dict.fromkeys([session.base_branch, *([landing.target] if landing else [])]))
        for task in session.tasks.values():
            is_over = task.state is TaskState.INTEGRATED or (is_closed and task.state not in LIVE)
            commit = self._objects.find(f"refs/heads/{task.plan.branch}")
            if commit and is_over and task.plan.branch not in asked:
                seat = seat_of(session, task)
                line = Line(seat.branch, commit, task.base, session.branch, session.base_commit, targets)
                yield Candidate(seat, line, True, f"refs/toryo/kept/{seat.folder}/{commit[:12]}")
        commit = self._objects.find(f"refs/heads/{session.branch}")
        if commit and is_closed:
            base = session.ground or session.base_commit
            line = Line(session.branch, commit, base, session.branch, session.base_commit, targets)
            yield Candidate(home_of(session), line, False, f"refs/toryo/landed/{session.id}")

    async def _with_work_committed(self, one: Candidate) -> Candidate:
        """What is not committed in a worktree is, on its branch; so it is nowhere else, and the branch stays."""
        if not one.is_workplace or not await self._leavings.has_unsaved(one.seat):
            return one
        self._why[one.seat.branch] = "its worktree holds work that is not committed"
        if self._dry_run:
            return _with_commit(one, "")
        try:
            commit = await self._leavings.save(one.seat)
        except GitFailed as failed:
            self._why[one.seat.branch] += f": {failed}"
            return _with_commit(one, "")
        self._why[one.seat.branch] = "work that was not committed in its worktree is committed on it now"
        return _with_commit(one, commit)

    # ── letting go ───────────────────────────────────────────────────────────

    async def _let_go(self, wanted: Sequence[Candidate], homes: dict[str, str]) -> None:
        sizes = {one.line.branch: self._leavings.size(one.seat) for one in wanted}
        made_again = {one.line.branch for one in wanted if homes[one.line.branch] in (SQUASHED, REBASED)}
        going = [
            Going(one.seat, one.line.commit, one.kept_as if one.line.branch in made_again else "") for one in wanted
        ]
        clearing = GitClearing(self._git, self._worktrees)
        stay = {} if self._dry_run else dict(await clearing.let_go(going))
        for one in wanted:
            branch = one.line.branch
            if branch in stay:
                self.swept.kept.append((branch, stay[branch]))
            else:
                self.swept.removed.append((branch, homes[branch]))
                self.swept.freed += sizes[branch]

    async def _leftovers(self, folders: set[str], branches: set[str]) -> None:
        found, stay = await self._leavings.clear(folders, branches, dry_run=self._dry_run)
        self.swept.leftovers += found
        self.swept.kept += stay


_NOWHERE = "its work is neither merged nor pushed"


def _with_commit(one: Candidate, commit: str) -> Candidate:
    return changed(one, line=changed(one.line, commit=commit))


def _seats(session: Session) -> list[Seat]:
    return [home_of(session), *(seat_of(session, task) for task in session.tasks.values())]


async def clean(project: Project, *, dry_run: bool, only: Session | None = None) -> Swept:
    """Branches and worktrees of tasks that are merged, and of sessions that are closed; one session's, or all."""
    with lease_of(project) as lease:
        git = Git(os.environ, lease_fd=lease.fd)
        if not has_identity(project.place):
            git.use_identity(IDENTITY)
        objects = Objects(git, project.place.root)
        worktrees = GitWorktrees(git, objects, project.place.root)
        sessions = [project.load(row["id"]) for row in project.summaries()]
        try:
            swept = await Cleaning(git, objects, worktrees, dry_run=dry_run).sweep(sessions, only)
        finally:
            objects.close()
        if not dry_run:
            mask_left_behind((project.place.store / "runs").glob("*"))
        return swept
