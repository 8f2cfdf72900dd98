"""Running recorded checks again on the commits they were run on, in worktrees that are gone afterwards."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from toryo.adapters.clock import SystemClock
from toryo.adapters.git.checkout import GitCheckout
from toryo.adapters.git.command import Git
from toryo.adapters.git.integration import GitIntegration
from toryo.adapters.git.objects import Objects
from toryo.adapters.git.place import find_place
from toryo.adapters.git.worktrees import GitWorktrees
from toryo.app.conducting import environment_in
from toryo.app.crew import host_of
from toryo.app.pausing import may_hear_signals, run
from toryo.app.verifying import Examined, Source
from toryo.domain.evidence import CheckResult, CheckStatus
from toryo.domain.plan import Check
from toryo.domain.proofs import CheckClaim, Discrepancy, Flaw
from toryo.domain.session import Session
from toryo.engine.performers.recording import environment_of, run_check
from toryo.ports import World

Tell = Callable[[str], None]
_LAST_LINES = 10


def rerun(source: Source, examined: Examined, tell: Tell) -> list[Discrepancy]:
    """What the checks say now, where it is not what they said then. Ctrl-C ends the check and removes everything."""
    claims, session = examined.claims.checks, examined.session
    if source.history is None or session is None:
        return [Discrepancy(Flaw.NOT_RERUN, "", "checks", "they cannot be run: there is no clone here")]
    found = source.history.commits({claim.commit for claim in claims})
    discrepancies = [
        Discrepancy(Flaw.NOT_RERUN, claim.task, claim.where, f"commit {claim.commit[:12]} is not here to check it on")
        for claim in claims
        if claim.commit not in found
    ]
    with tempfile.TemporaryDirectory(prefix="toryo-verify-") as folder:
        bench = _Bench(source.history.where, Path(folder), session, tell)
        for commit in dict.fromkeys(claim.commit for claim in claims if claim.commit in found):
            discrepancies += bench.try_again(commit, [claim for claim in claims if claim.commit == commit])
    return discrepancies


class _Bench:
    """A folder for worktrees and for what the checks print."""

    def __init__(self, repository: Path, folder: Path, session: Session, tell: Tell) -> None:
        self._repository, self._folder, self._session, self._tell = repository, folder, session, tell
        self._git = Git(os.environ)
        self._count = 0

    def try_again(self, commit: str, claims: Sequence[CheckClaim]) -> list[Discrepancy]:
        with self._worktree(commit) as path:
            try:
                return run(_interruptible(self._try_again(path, commit, claims)))
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None

    @contextmanager
    def _worktree(self, commit: str) -> Iterator[Path]:
        path = self._folder / f"at-{commit[:12]}"
        try:
            self._git.text(self._repository, "worktree", "add", "-q", "--detach", str(path), commit)
            yield path
        finally:
            self._git.run(self._repository, "worktree", "remove", "--force", str(path))

    async def _try_again(self, path: Path, commit: str, claims: Sequence[CheckClaim]) -> list[Discrepancy]:
        world = self._world()
        for command in self._session.terms.setup:
            self._tell(f"set-up at {commit[:12]}: {command}")
            result = await self._run(world, Check("set-up", command, self._session.terms.time_limit), path, claims[0])
            if result.status is not CheckStatus.PASSED:
                what = f"the set-up command '{command}' failed: {_end(result)}"
                return [Discrepancy(Flaw.NOT_RERUN, claim.task, claim.where, what) for claim in claims]
        now: dict[Check, CheckResult] = {}
        found = []
        for claim in claims:
            if claim.check not in now:
                self._tell(f"{claim.task or 'session'}: check {claim.check.name} at {commit[:12]}")
                now[claim.check] = await self._run(world, claim.check, path, claim)
            result = now[claim.check]
            if result.status.value != claim.status:
                what = f"check '{claim.check.name}' {claim.status} then, {result.status} now: {_end(result)}"
                found.append(Discrepancy(Flaw.CHECK, claim.task, claim.where, what, claim.status, result.status))
        return found

    async def _run(self, world: World, check: Check, path: Path, claim: CheckClaim) -> CheckResult:
        self._count += 1
        task = self._session.task(claim.task) if claim.task else None
        return await run_check(
            world,
            check,
            directory=self._folder / f"check-{self._count}",
            cwd=path,
            env=environment_of(world, self._session, task),
            grace=self._session.terms.grace,
        )

    def _world(self) -> World:
        place = find_place(Path.cwd())
        objects = Objects(self._git, place.root)
        worktrees = GitWorktrees(self._git, objects, place.root)
        return World(
            clock=SystemClock(),
            host=host_of("headless"),
            worktrees=worktrees,
            integration=GitIntegration(self._git, objects, worktrees),
            checkout=GitCheckout(self._git, place.root),
            agents={},
            store=self._folder,
            root=place.root,
            environment=environment_in(place),
        )


async def _interruptible(work: Coroutine[Any, Any, list[Discrepancy]]) -> list[Discrepancy]:
    """SIGTERM as Ctrl-C: what was started is ended, and what was made is removed."""
    task = asyncio.current_task()
    assert task is not None
    if may_hear_signals():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work


def _end(result: CheckResult) -> str:
    lines = result.tail.splitlines()[-_LAST_LINES:]
    return "\n" + "\n".join(f"  {line}" for line in lines) if lines else "it printed nothing"
