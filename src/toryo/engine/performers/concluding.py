"""The end of a session: its proof, its report, and what is handed to a person."""

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.plan import WorktreeChoice
from toryo.domain.session import Session
from toryo.domain.task import MERGED, TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.engine.performers.noticing import session_branch_changed
from toryo.engine.performers.proving import run_checks
from toryo.engine.performers.recording import home_of, seat_of
from toryo.ports import Point, World
from toryo.rules.bisecting import Nobody, find_culprit
from toryo.rules.judging import session_outcome
from toryo.rules.landing import landing_of, why_left_on_its_branch
from toryo.rules.testimony import of_proof
from toryo.rules.wholeness import checks_of_the_whole
from toryo.views.budget import used_up_words
from toryo.views.report import report


async def block_task(world: World, session: Session, effect: fx.BlockTask) -> e.Event:
    is_ours = effect.reason is BlockReason.SYSTEM_ERROR
    detail = f"Toryo could not do its part: {effect.message}" if is_ours else effect.message
    return e.TaskBlocked(world.clock.now(), effect.task, effect.reason, detail)


async def settle_work(world: World, session: Session, effect: fx.SettleWork) -> e.Event:
    return e.WorkSettled(world.clock.now())


async def prove_session(world: World, session: Session, effect: fx.ProveSession) -> e.Event:
    """The session's checks, on the integrated branch as it stands."""
    if changed := await session_branch_changed(world, session):
        return changed
    home, tip = home_of(session), Point(session.tip, session.tip_tree)
    await world.integration.show(home, tip)
    results, records = await run_checks(
        world,
        session,
        checks_of_the_whole(session),
        "proof",
        lambda result, is_first: of_proof(session, result, tip.commit, tip.tree, is_first=is_first),
    )
    return e.SessionProven(world.clock.now(), tip.commit, tip.tree, results, records)


async def conclude(world: World, session: Session, effect: fx.Conclude) -> e.Event:
    """Writes the report; closes the session if all is complete, else leaves it to a person."""
    if changed := await session_branch_changed(world, session):
        return changed
    outcome = session_outcome(session)
    if not session.terms.keep_worktrees:
        await _clear_away(world, session, outcome)
    if world.desk and session.planning:
        done = [task.plan.key for task in session.tasks.values() if task.state in MERGED]
        world.desk.tick(session.planning.spec, done)
    write_report(world, session, outcome)
    if outcome is not Outcome.COMPLETE:
        return e.SessionPaused(world.clock.now(), waiting_for_person(session), waits_for_person=True)
    landing = landing_of(session, world.clock.now())
    left = why_left_on_its_branch(session, is_autonomous=world.is_autonomous()) if landing else ""
    return landing if landing and not left else e.SessionClosed(world.clock.now(), outcome, left=left)


def write_report(world: World, session: Session, outcome: Outcome) -> None:
    path = world.store / "reports" / f"{session.id}.md"
    path.touch(mode=0o600)
    path.write_text(report(session, outcome, world.clock.now()), encoding="utf-8", errors="backslashreplace")


async def _clear_away(world: World, session: Session, outcome: Outcome) -> None:
    """Branches of tasks go once they are merged; the session's own branch is the result, and stays."""
    integrated = [task for task in session.tasks.values() if task.state is TaskState.INTEGRATED]
    for task in integrated:
        if task.plan.worktree is WorktreeChoice.SHARED:
            await world.worktrees.remove_folder(seat_of(session, task))
    merged = [task.plan.branch for task in integrated]
    await world.worktrees.forget_branches(merged, merged_into=session.branch)
    if outcome is Outcome.COMPLETE:
        await world.worktrees.remove_folder(home_of(session))


def waiting_for_person(session: Session) -> str:
    """Why it cannot be closed."""
    blocked = session.count(TaskState.BLOCKED)
    if blocked:
        return f"{blocked} blocked task{'s' if blocked > 1 else ''}"
    if session.count(TaskState.PLANNED, TaskState.ACCEPTED):
        return "tasks that cannot go on"
    if session.judgement and not session.judgement.is_complete:
        missing = "; ".join(session.judgement.missing) or "the judgement does not say what"
        return f"not yet what was asked for: {missing}"
    found = find_culprit(session)
    why = f": {found.why}" if isinstance(found, Nobody) else ""
    return f"the checks do not pass on the integrated branch{why}"


async def pause_at_budget(world: World, session: Session, effect: fx.PauseAtBudget) -> e.Event:
    now = world.clock.now()
    return e.SessionPaused(now, used_up_words(session, now), waits_for_person=True, for_budget=True)


async def hold_session(world: World, session: Session, effect: fx.HoldSession) -> e.Event:
    what = "Toryo could not do its part" if effect.is_ours else "the model cannot be asked"
    reason = f"{what}: {effect.message}"
    return e.SessionPaused(world.clock.now(), reason, waits_for_person=True)
