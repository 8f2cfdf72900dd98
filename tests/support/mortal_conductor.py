"""A conductor that dies by SIGKILL around the first effect, before and after which nobody has died yet.

Usage: python -m tests.support.mortal_conductor PLAN DEATHS [EFFECT...]. Called again and again, it gets one step
further each time; DEATHS remembers where it has died already. Where effects are named, it dies of those only.
Exit code 0: the session got to its end.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from toryo.adapters.watching import changes
from toryo.app.conducting import world_of
from toryo.app.leasing import lease_of
from toryo.app.opening import open_session, prepare
from toryo.app.project import open_project
from toryo.domain.effects import AwaitRun, Effect
from toryo.domain.events import Event
from toryo.domain.session import Session, SessionState
from toryo.engine.conductor import Conductor
from toryo.engine.performers import perform
from toryo.journal.lease import Lease


class Deaths:
    """Where we have died, so that each place is died at once."""

    def __init__(self, path: Path, kinds: list[str]) -> None:
        self._path, self._kinds = path, kinds
        self._known = set(path.read_text().splitlines()) if path.exists() else set()

    def maybe_die(self, moment: str, effect: Effect, session: Session) -> None:
        if self._kinds and type(effect).__name__ not in self._kinds:
            return
        task = session.tasks[effect.task] if hasattr(effect, "task") else None
        place = {
            "kind": type(effect).__name__,
            "run": len(task.runs) if task else None,
            "dependencies": len(task.depends_on) if task else None,
            "redo": task.redos if task else None,
            "look": getattr(effect, "looks", None),
        }
        line = f"died {moment} {json.dumps(place)}"
        if line in self._known:
            return
        with self._path.open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.kill(os.getpid(), signal.SIGKILL)


def main(plan: Path, deaths: Deaths) -> int:
    project = open_project(Path.cwd(), writing=True)
    with lease_of(project) as lease:
        if project.summaries():
            session = project.session()
        else:
            session = open_session(project, prepare(project, plan, {}), parallel=3)
        ended = asyncio.run(_conduct(project, session, lease, deaths))
    return 0 if ended.state is SessionState.CLOSED else 1


async def _conduct(project, session: Session, lease: Lease, deaths: Deaths) -> Session:  # type: ignore[no-untyped-def]
    async with world_of(project, lease, session.terms.host) as world:

        async def mortal(state: Session, effect: Effect) -> Event:
            deaths.maybe_die("before", effect, state)
            event = await perform(world, state, effect)
            if not isinstance(effect, AwaitRun) or event is not None:
                deaths.maybe_die("after", effect, state)
            return event

        def others() -> AsyncIterator[None]:
            return changes(project.journal.files)

        return await Conductor(project.journal, world.clock, session, mortal, lambda *_: None, others).conduct()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Deaths(Path(sys.argv[2]), sys.argv[3:])))
