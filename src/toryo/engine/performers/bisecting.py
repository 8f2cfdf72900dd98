"""Finding the merge that broke the whole, saying what becomes of it, and taking it back."""

from dataclasses import replace

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckResult, CheckStatus, Operation
from toryo.domain.inquiry import Merge
from toryo.domain.session import Session
from toryo.engine.performers.proving import run_checks
from toryo.engine.performers.recording import evidence_of, home_of
from toryo.ports import Point, World
from toryo.rules.bisecting import Culprit, LookAt, fallout_of, find_culprit
from toryo.rules.findings import say_failure
from toryo.rules.testimony import of_look, of_parking
from toryo.rules.wholeness import checks_of_the_whole


async def bisect_merges(world: World, session: Session, effect: fx.BisectMerges) -> e.Event:
    """The checks in question on one step of the branch; its worktree shows the branch again afterwards."""
    found = find_culprit(session)
    assert isinstance(found, LookAt)
    step, home, tip = found.step, home_of(session), Point(session.tip, session.tip_tree)
    checks = [check for check in checks_of_the_whole(session) if check.name in found.checks]
    await world.retreat.look_at(home, tip, step.commit)
    results, records = await run_checks(
        world, session, checks, "look", lambda result, _: of_look(session, result, step.commit, step.tree)
    )
    await world.retreat.come_back(home, tip)
    return e.MergeBisected(world.clock.now(), step.commit, step.tree, results, records)


async def park_culprit(world: World, session: Session, effect: fx.ParkCulprit) -> e.Event:
    """Decided before anything is moved: whoever takes over knows where the branch has to be."""
    found = find_culprit(session)
    assert isinstance(found, Culprit)
    fallout = fallout_of(session, found.merge)
    task = session.tasks[fallout.culprit]
    parked = e.CulpritParked(
        world.clock.now(),
        task.number,
        found.merge.commit,
        found.before.commit,
        found.before.tree,
        fallout.again,
        fallout.anew,
        fallout.dropped,
        _feedback(session, found),
    )
    record = evidence_of(world, task, Operation.MERGE, of_parking(session, parked))
    return replace(parked, evidence=(record,))


def _feedback(session: Session, found: Culprit) -> str:
    """What its agent, or a person, has to know: what passes without it, and what is said with it."""
    named = ", ".join(f"'{name}'" for name in found.checks)
    lines = [f"with it check {named} fails on the integrated branch, and passes without it"]
    lines.append(f"Before it was merged, at {found.before.commit[:12]}: passed.")
    seen = [result for result in _last_look(session, found.merge) if result.name in found.checks]
    failed = [result for result in seen if result.status is not CheckStatus.PASSED]
    after = f"After it was merged, at {found.merge.commit[:12]}"
    lines += [f"{after}: {say_failure(result)}\n{result.tail}" for result in failed]
    return "\n".join(lines).strip()


def _last_look(session: Session, merge: Merge) -> tuple[CheckResult, ...]:
    looks = [look for look in session.looks if look.commit == merge.commit]
    return looks[-1].results if looks else ()


async def take_back_merges(world: World, session: Session, effect: fx.TakeBackMerges) -> e.Event:
    tip = Point(session.tip, session.tip_tree)
    kept = await world.retreat.take_back(home_of(session), effect.ahead, tip)
    return e.MergesTakenBack(world.clock.now(), tip.commit, kept)
