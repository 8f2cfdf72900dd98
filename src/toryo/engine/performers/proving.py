"""Running checks of the whole on one step of the session's branch, on record."""

import shutil
from collections.abc import Callable, Sequence

from toryo.domain.evidence import CheckResult, Evidence, Operation
from toryo.domain.plan import Check
from toryo.domain.session import Session
from toryo.engine.performers.recording import environment_of, evidence_of, home_of, run_check
from toryo.ports import World

Seen = tuple[tuple[CheckResult, ...], tuple[Evidence, ...]]


async def run_checks(
    world: World,
    session: Session,
    checks: Sequence[Check],
    name: str,
    facts: Callable[[CheckResult, bool], dict[str, object]],
) -> Seen:
    """On the files that the branch's worktree shows; each record holds these facts of a result, first or later."""
    results: list[CheckResult] = []
    records: list[Evidence] = []
    cwd = world.worktrees.path(home_of(session).folder)
    for place, check in enumerate(checks):
        # Each time keeps its logs: they are named by what was recorded before it.
        directory = world.run_directory(session.id) / f"{name}-{len(session.evidence)}-{place}"
        if directory.exists():
            await world.host.stop(directory, session.terms.grace)
            shutil.rmtree(directory)
        env, grace = environment_of(world, session), session.terms.grace
        result = await run_check(world, check, directory=directory, cwd=cwd, env=env, grace=grace)
        results.append(result)
        last, log = records[-1] if records else None, directory / "output.log"
        told = facts(result, not records)
        records.append(evidence_of(world, session, Operation.CHECK, told, log=log, after=last))
    return tuple(results), tuple(records)
