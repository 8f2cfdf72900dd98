"""Bringing the result home: up to date, proven so, onto its target, and what is no longer needed cleared away."""

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import Operation
from toryo.domain.landing import MOST_ROUNDS, Landing, LandingMode
from toryo.domain.plan import PlannedTask
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.engine.performers.concluding import waiting_for_person, write_report
from toryo.engine.performers.holding import until_a_person_acts
from toryo.engine.performers.recording import evidence_of, home_of, seat_of
from toryo.engine.performers.requesting import forget_remote_branches, where_it_landed
from toryo.ports import Conflict, Going, Held, Point, Target, World
from toryo.rules.evolve import evolve
from toryo.rules.judging import session_outcome
from toryo.rules.landing import ground_of, landing_in, why_left_on_its_branch
from toryo.rules.landing_texts import (
    is_update,
    landing_message,
    mending_task,
    replay_message,
    session_mark,
    settler,
    settling_task,
    update_message,
)
from toryo.rules.testimony import of_landing, of_update

_MOST_NEWS = 20


@until_a_person_acts
async def bring_up_to_date(world: World, session: Session, effect: fx.BringUpToDate) -> e.Event:
    """What the target got meanwhile is merged into the session's branch, there to be proven, not in front of people."""
    target, landing = world.target, landing_in(session)
    onto = await _where_it_stands(world, landing)
    if not landing.mode.has_requests and (made := await made_before(target, session, landing)):
        return told(world, session, made)
    if await target.contains(onto, session.tip):
        return _landed(world, session, onto, before="")  # somebody has merged it already
    await _refuse_if_moved(target, session, onto)
    tip = Point(session.tip, session.tip_tree)
    try:
        if await target.contains(session.tip, onto):
            return _up_to_date(world, session, onto, tip)
        return _up_to_date(world, session, onto, await _brought_together(target, session, landing, tip, onto))
    except Conflict as conflict:
        return await _handed_over(world, session, onto, conflict.files)


async def _where_it_stands(world: World, landing: Landing) -> str:
    """For pull requests it is the remote's branch that counts."""
    if landing.mode.has_requests:
        return await world.remote.fetch(landing.target) or await world.target.look(landing.target)
    return await world.target.look(landing.target)


async def _refuse_if_moved(target: Target, session: Session, onto: str) -> None:
    """Commits that somebody made on the session's branch are not part of the proof, and not to be left out silently."""
    stands = await target.stands(session.branch)
    if stands in ("", session.tip):
        return
    parents, message = await target.says(stands)
    is_ours = is_update(session, message) and any(parent == session.tip or parent == onto for parent in parents)
    if is_ours or (is_update(session, message) and await target.contains(stands, session.tip)):
        return
    raise Held(
        f"{session.branch} has moved on to {stands[:12]}, and what came after {session.tip[:12]} is not proven",
        f"merge it yourself (git merge {session.branch}), "
        f"or move your commits elsewhere and put it back (git branch -f {session.branch} {session.tip[:12]})",
    )


async def _brought_together(target: Target, session: Session, landing: Landing, tip: Point, onto: str) -> Point:
    ground = ground_of(session)
    if ground and not await target.contains(onto, ground):
        # Others' commits from before they rewrote it must not come back with a merge.
        message = replay_message(session, landing.target, onto)
        return await target.replay(home_of(session), tip, ground=ground, onto=onto, message=message)
    return await target.update(home_of(session), tip, onto, update_message(session, landing.target, onto))


def _up_to_date(world: World, session: Session, onto: str, point: Point) -> e.Event:
    if point.commit == session.tip:
        return e.BroughtUpToDate(world.clock.now(), onto, point.commit, point.tree)
    facts = of_update(session, onto, point.commit, point.tree)
    record = evidence_of(world, session, Operation.MERGE, facts)
    return e.BroughtUpToDate(world.clock.now(), onto, point.commit, point.tree, (record,))


async def _handed_over(world: World, session: Session, onto: str, files: tuple[str, ...]) -> e.Event:
    """An agent settles it, a bounded number of times; where none can, the person gets to know how."""
    landing = landing_in(session)
    ground = ground_of(session)
    is_rewritten = bool(ground) and not await world.target.contains(onto, ground)
    listed = ", ".join(files)
    if is_rewritten:
        raise Held(
            f"{landing.target} was rewritten, and the result cannot be put on top of it: they conflict in {listed}",
            f"do it by hand (git rebase --onto {landing.target} {ground[:12]} {session.branch}), then git merge",
        )
    if not _may_hand_over(session, landing):
        raise Held(
            f"{session.branch} and {landing.target} conflict in {listed}",
            f"settle it by hand: git merge {session.branch}",
        )
    news = await world.target.news(ground or session.base_commit, onto, _MOST_NEWS)
    task = settling_task(session, landing, onto, files, news)
    return e.UpdateConflicted(world.clock.now(), onto, files, _with_free_branch(world, task))


def _may_hand_over(session: Session, landing: Landing) -> bool:
    """What is unfinished in a session that is landed in part must not start with it."""
    return bool(settler(session)) and landing.rounds < MOST_ROUNDS and not landing.is_partial


def _with_free_branch(world: World, task: PlannedTask) -> PlannedTask:
    branch, count = task.branch, 1
    while world.worktrees.has_branch(branch):
        count += 1
        branch = f"{task.branch[:60]}-{count}"
    return changed(task, branch=branch)


@until_a_person_acts
async def hand_back(world: World, session: Session, effect: fx.HandBack) -> e.Event:
    """The checks do not pass on the result as it would be landed."""
    landing = landing_in(session)
    if not _may_hand_over(session, landing):
        what = f"the checks do not pass on {session.branch}"
        together = f" brought together with {landing.target}" if session.ground else ""
        raise Held(f"{what}{together}", f"see 'toryo report {session.short}'")
    news = await world.target.news(session.base_commit, landing.onto or session.base_commit, _MOST_NEWS)
    task = mending_task(session, landing, news)
    return e.UpdateConflicted(world.clock.now(), landing.onto, (), _with_free_branch(world, task))


@until_a_person_acts
async def land_on_target(world: World, session: Session, effect: fx.LandOnTarget) -> e.Event:
    """The commit is made of the very files that were proven, then the target is moved to it."""
    target, landing = world.target, landing_in(session)
    if made := await made_before(target, session, landing):
        return told(world, session, made)
    stands = await target.look(landing.target)
    if stands != effect.onto:
        return e.TargetMoved(world.clock.now(), stands)
    if (await target.point(stands)).tree == session.tip_tree:
        return _landed(world, session, stands, before="")  # somebody has brought the very same there
    message = landing_message(session, landing)
    commit = await target.merge_commit(effect.onto, session.tip, session.tip_tree, message, squash=landing.squash)
    # The switch that stops it is looked at last: proving what was brought up to date may have taken long.
    if left := why_left_on_its_branch(session, is_autonomous=world.is_autonomous()):
        return await _left_on_its_branch(world, session, left)
    if await target.move(landing.target, before=effect.onto, commit=commit):
        return _landed(world, session, commit, before=effect.onto)
    return e.TargetMoved(world.clock.now(), await target.look(landing.target))


async def _left_on_its_branch(world: World, session: Session, why: str) -> e.Event:
    closed = e.SessionClosed(world.clock.now(), session_outcome(session), left=why)
    if not session.terms.keep_worktrees:
        await world.worktrees.remove_folder(home_of(session))
    write_report(world, evolve(session, closed), closed.outcome)
    return closed


async def made_before(target: Target, session: Session, landing: Landing) -> tuple[str, str] | None:
    """The commit of a try that was cut short before it could tell."""
    since = ground_of(session) or session.base_commit
    made = await target.landed(landing.target, since, session.tip_tree, session_mark(session))
    return made if made and made[0] != session.tip else None  # else somebody went forward to it themselves


def told(world: World, session: Session, made: tuple[str, str]) -> e.Event:
    commit, before = made
    return _landed(world, session, commit, before=before)


def _landed(world: World, session: Session, commit: str, *, before: str) -> e.Event:
    record = evidence_of(world, session, Operation.MERGE, of_landing(session, commit, before))
    return e.Landed(world.clock.now(), commit, before, (record,))


@until_a_person_acts
async def finish_landing(world: World, session: Session, effect: fx.FinishLanding) -> e.Event:
    """Clears away what is proven to be elsewhere, writes the report, and closes; or leaves the rest as it was."""
    landing = landing_in(session)
    if landing.requests and landing.mode.has_requests and not landing.is_over:
        return _landed(world, session, await where_it_landed(world, session), before="")
    # Given up, perhaps after it had been made and before that was told.
    is_given_up = landing.mode is LandingMode.BRANCH and not landing.is_over
    if is_given_up and (made := await made_before(world.target, session, landing)):
        return told(world, session, made)
    outcome = session_outcome(session)
    write_report(world, session, outcome)
    if landing.is_partial:
        return e.SessionPaused(world.clock.now(), waiting_for_person(session), waits_for_person=True)
    kept = await _clear_away(world, session) if landing.commit and not session.terms.keep_worktrees else ()
    kept += await forget_remote_branches(world, session) if landing.is_over else ()
    return e.SessionClosed(world.clock.now(), outcome, kept=kept)


async def _clear_away(world: World, session: Session) -> tuple[tuple[str, str], ...]:
    """The target holds the very files, so the branches that led there may go; where they stood stays reachable."""
    tasks = [task for task in session.tasks.values() if task.state is TaskState.INTEGRATED and task.merge_commit]
    going = [Going(seat_of(session, task), task.commit) for task in tasks]
    home = Going(home_of(session), session.tip, f"refs/toryo/landed/{session.id}")
    return await world.clearing.let_go([*going, home])
