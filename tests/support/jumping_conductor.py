"""A conductor whose clock is wrong by as many seconds as a file says, at any moment.

Usage: python -m tests.support.jumping_conductor PLAN FILE. Without a session here it opens one; else it goes on.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from toryo.adapters.clock import SystemClock
from toryo.adapters.watching import changes
from toryo.app.conducting import world_of
from toryo.app.leasing import lease_of
from toryo.app.opening import open_session, prepare
from toryo.app.project import Project, open_project
from toryo.domain import events as e
from toryo.domain.effects import Effect
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.engine.conductor import Conductor
from toryo.engine.performers import perform
from toryo.journal.lease import Lease


class JumpingClock(SystemClock):
    """As the system's, but for the jumps."""

    longest_nap = 0.05

    def __init__(self, path: Path) -> None:
        self._path = path

    def now(self) -> float:
        wrong = 0.0
        with suppress(OSError, ValueError):
            wrong = float(self._path.read_text())
        return time.time() + wrong


def main(plan: Path, clock: JumpingClock) -> int:
    project = open_project(Path.cwd(), writing=True)
    with lease_of(project) as lease:
        if not project.summaries():
            session = open_session(project, prepare(project, plan, {}), parallel=None)
        else:
            session = project.session()
            if session.state is SessionState.PAUSED:
                blocked = [task for task in session.tasks.values() if task.state is TaskState.BLOCKED]
                retried = [e.TaskRetried(clock.now(), task.number) for task in blocked]
                session = project.append(session, *retried, e.SessionResumed(clock.now()))
        ended = asyncio.run(_conduct(project, session, lease, clock))
    return 0 if ended.state is SessionState.CLOSED else 2


async def _conduct(project: Project, session: Session, lease: Lease, clock: JumpingClock) -> Session:
    async with world_of(project, lease, session.terms.host) as world:
        shifted = replace(world, clock=clock)

        async def performed(state: Session, effect: Effect) -> e.Event:
            return await perform(shifted, state, effect)

        def others() -> AsyncIterator[None]:
            return changes(project.journal.files)

        return await Conductor(project.journal, clock, session, performed, lambda *_: None, others).conduct()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), JumpingClock(Path(sys.argv[2]))))
