"""Conducting a session in this process: the lease, the ports, the signals, and the loop in the middle."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from toryo.adapters.clock import SystemClock
from toryo.adapters.git.checkout import GitCheckout
from toryo.adapters.git.command import IDENTITY, Git, without_location
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.place import Place, cannot_write, has_identity
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.adapters.maskedfiles import mask_left_behind
from toryo.adapters.syntax import OwnParsers
from toryo.adapters.watching import changes
from toryo.app.autonomy import is_autonomous
from toryo.app.configuration import settings_of
from toryo.app.crew import agents_of, host_of
from toryo.app.later import later
from toryo.app.pausing import may_hear_signals
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session, SessionState
from toryo.domain.task import LIVE
from toryo.engine.conductor import Conductor, Watch
from toryo.engine.performers import perform
from toryo.journal.lease import Lease
from toryo.ports import Clearing, Desk, Foresight, Forge, Retreat, Target, World
from toryo.rules.masking import mask

if TYPE_CHECKING:
    from toryo.adapters.git.remote import GitRemote

Hear = Callable[[str, str], None]
"""Gets a model's replies in pieces: which question they answer, and the piece."""


def _hear_nothing(question: str, piece: str) -> None:
    pass


def conduct(
    project: Project,
    session: Session,
    lease: Lease,
    watch: Watch,
    on_interrupt: Callable[[], None],
    hear: Hear = _hear_nothing,
) -> Session:
    """Runs until the session rests: closed, or paused. Ctrl-C pauses it; once more leaves the runs alone."""
    lease.devote(session.id)
    with _logging_to(project.place.store / "logs" / "toryo.log"):
        try:
            return asyncio.run(_conduct(project, session, lease, watch, on_interrupt, hear))
        except asyncio.CancelledError:
            raise ToryoError(
                "E209",
                "interrupted before the agents had stopped",
                kept="everything; agents still at work go on by themselves",
                hint=f"'toryo resume {session.short}' picks them up, 'toryo stop' ends them",
                exit_code=Exit.INTERRUPTED,
            ) from None
        except OSError as error:
            raise cannot_write(project.place.store, error) from error


async def _conduct(
    project: Project, session: Session, lease: Lease, watch: Watch, on_interrupt: Callable[[], None], hear: Hear
) -> Session:
    async with world_of(project, lease, session.terms.host) as world, desk_for(project, session, lease, hear) as desk:
        world = changed(world, desk=desk)
        conductor = Conductor(
            project.journal,
            world.clock,
            session,
            lambda state, effect: perform(world, state, effect),
            watch,
            lambda: changes(project.journal.files),
        )
        with _signals(conductor, world, on_interrupt):
            left = asyncio.create_task(asyncio.to_thread(mask_left_behind, _left_behind(world, session)))
            try:
                return await conductor.conduct()
            finally:
                await asyncio.gather(left, return_exceptions=True)


def _left_behind(world: World, session: Session) -> list[Path]:
    """The records that nobody will look after: of a session that goes on, not those of its live tasks."""
    goes_on = session.state is not SessionState.PAUSED
    tasks = [task for task in session.tasks.values() if not (goes_on and task.state in LIVE)]
    runs = [run.id for task in tasks for run in task.runs if run.ended_at is not None]
    return [world.run_directory(name) for name in (*runs, *(() if goes_on else (session.id,)))]


@asynccontextmanager
async def world_of(project: Project, lease: Lease, host: str) -> AsyncIterator[World]:
    """Every port, wired to this repository."""
    place = project.place
    settings = settings_of(project)
    git = Git(os.environ, lease_fd=lease.fd)
    if not has_identity(place):
        git.use_identity(IDENTITY)  # commits need a name
    with ExitStack() as closing:
        objects = Objects(git, place.root)
        closing.callback(objects.close)
        objects.begin()
        worktrees = GitWorktrees(git, objects, place.root)
        integration = GitIntegration(git, objects, worktrees)
        remote = later(partial(_remote, place, settings.land.remote))
        yield World(
            clock=SystemClock(),
            host=host_of(host),
            worktrees=worktrees,
            integration=integration,
            checkout=GitCheckout(git, place.root),
            agents=agents_of(settings),
            store=place.store,
            root=place.root,
            environment=environment_in(place),
            foresight=later(partial(_foresight, git, place, closing)),
            retreat=later(partial(_retreat, git, objects, worktrees, integration)),
            target=later(partial(_target, git, objects, worktrees, integration)),
            clearing=later(partial(_clearing, git, worktrees)),
            remote=remote,
            forge=later(partial(_forge, place, remote)),
            parsers=OwnParsers(git, place.root),
            is_autonomous=partial(is_autonomous, project),
        )


def _foresight(git: Git, place: Place, closing: ExitStack) -> Foresight:
    from toryo.adapters.git.foresight import GitForesight

    folder, cache = place.store / "foresight", place.store / "foreseen.json"
    foresight = GitForesight(git, root=place.root, common_dir=place.common_dir, folder=folder, cache=cache)
    foresight.close()  # what somebody left who was killed
    closing.callback(foresight.close)
    return foresight


def _retreat(git: Git, objects: Objects, worktrees: GitWorktrees, integration: GitIntegration) -> Retreat:
    from toryo.adapters.git.retreat import GitRetreat

    return GitRetreat(git, objects, worktrees, integration)


def _target(git: Git, objects: Objects, worktrees: GitWorktrees, integration: GitIntegration) -> Target:
    from toryo.adapters.git.target import GitTarget

    return GitTarget(git, objects, worktrees, integration)


def _clearing(git: Git, worktrees: GitWorktrees) -> Clearing:
    from toryo.adapters.git.clearing import GitClearing

    return GitClearing(git, worktrees)


def _remote(place: Place, name: str) -> "GitRemote":
    from toryo.adapters.git.remote import GitRemote

    return GitRemote(os.environ, place.root, name)


def _forge(place: Place, remote: "GitRemote") -> Forge:
    from toryo.adapters.github import GitHub

    return GitHub(os.environ, place.root, remote)


@asynccontextmanager
async def desk_for(project: Project, session: Session, lease: Lease, hear: Hear) -> AsyncIterator[Desk | None]:
    """The desk of a session that asks a model or writes intents; most of what it needs is loaded only for those."""
    if session.planning is None and session.pursuit is None and not session.terms.reviews:
        yield None
        return
    from toryo.app.desk import ProjectDesk
    from toryo.app.models import with_choice
    from toryo.app.overhearing import leave_to_hear

    settings = with_choice(settings_of(project), session.terms.chosen)
    git = Git(os.environ, lease_fd=lease.fd)
    with leave_to_hear(project.place.store, session.id) as left:

        def heard(question: str, piece: str) -> None:
            hear(question, piece)
            left.hear(question, piece)

        desk = ProjectDesk(project.place, settings, git, heard, project.reserved_names, left.hear_out)
        try:
            yield desk
        finally:
            await desk.close()


def environment_in(place: Place) -> dict[str, str]:
    """Agents and checks work unattended: nothing may open an editor, ask for a password or wait for a signing key."""
    env = without_location(os.environ)
    count = int(env.get("GIT_CONFIG_COUNT", "0"))
    env.update(
        {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_EDITOR": ":",
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": "commit.gpgSign",
            f"GIT_CONFIG_VALUE_{count}": "false",
        }
    )
    if not has_identity(place):
        env.update(IDENTITY)
    return env


@contextmanager
def _signals(conductor: Conductor, world: World, on_interrupt: Callable[[], None]) -> Iterator[None]:
    if not may_hear_signals():
        yield
        return
    loop = asyncio.get_running_loop()
    conducting = asyncio.current_task()
    assert conducting is not None

    def interrupted(name: str) -> None:
        if conductor.session.state is SessionState.PAUSED or getattr(interrupted, "before", False):
            conducting.cancel()
            return
        interrupted.before = True  # type: ignore[attr-defined]
        conductor.say(e.SessionPaused(world.clock.now(), f"interrupted ({name})"))
        on_interrupt()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted, number.name)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


@contextmanager
def _logging_to(path: Path) -> Iterator[None]:
    """What went wrong inside, for whoever has to look closer."""
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise cannot_write(path, error) from error
    handler = _QuietFile(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("toryo")
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        with suppress(OSError):
            handler.close()


class _Discreet(logging.Formatter):
    """Errors quote what programs said, secrets included."""

    def format(self, record: logging.LogRecord) -> str:
        return mask(super().format(record))


class _QuietFile(logging.FileHandler):
    """On a full disk there is nothing to be done about a log line that does not fit."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        return
