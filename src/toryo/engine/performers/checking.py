"""Seeing for ourselves what a run left behind, running the checks, and reaching a verdict."""

import asyncio

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Operation
from toryo.domain.run import Observation
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason
from toryo.engine.performers.inspecting import inspect
from toryo.engine.performers.recording import (
    changed_outside,
    check_directory,
    environment_of,
    evidence_of,
    merging_commit,
    run_check,
    seat_of,
)
from toryo.ports import Point, WorktreeMissing, World
from toryo.rules.briefing import commit_message
from toryo.rules.judging import verdict_on
from toryo.rules.scope import out_of_scope


async def observe_work(world: World, session: Session, effect: fx.ObserveWork) -> e.Event:
    """Commits what is left before anything else, then compares before and after."""
    task = session.tasks[effect.task]
    run = task.runs[-1]
    seat = seat_of(session, task)
    log = world.run_directory(run.id) / "output.log"
    outside = asyncio.create_task(changed_outside(world, log.parent))
    try:
        left = await world.worktrees.commit_leftovers(
            seat,
            base=Point(task.base, task.base_tree),
            start=run.start_commit,
            message=commit_message(task),
            merging=merging_commit(session, task),
        )
    except WorktreeMissing as missing:
        detail = f"its worktree is gone: {missing}; 'toryo retry {task.plan.key}' makes it again from its branch"
        return e.TaskBlocked(world.clock.now(), task.number, BlockReason.MISSING_WORKTREE, detail)
    finally:
        await asyncio.wait({outside})
    worktree = world.worktrees.path(seat.folder)
    inspection = await inspect(world, session, task, left, worktree)
    paths = [change.path for change in left.changes]
    seen = Observation(
        commit=left.point.commit,
        tree=left.point.tree,
        changes=left.changes,
        run_changed=left.run_changed,
        missing=tuple(path for path in task.plan.expect if not (worktree / path).exists()),
        out_of_scope=out_of_scope(paths, task.plan.scope),
        problems=left.problems,
        output_bytes=log.stat().st_size if log.exists() else 0,
        outside=outside.result(),
        blemishes=inspection.blemishes,
        more_blemishes=inspection.more_blemishes,
        protected=inspection.protected,
        unread=inspection.unread,
    )
    facts = {
        "base": task.base,
        "commit": seen.commit,
        "tree": seen.tree,
        "files": [f"{change.change} {change.path}" for change in seen.changes],
        "missing": list(seen.missing),
    }
    record = evidence_of(world, task, Operation.FILES, facts)
    return e.WorkObserved(world.clock.now(), task.number, run.id, seen, (record,))


async def perform_check(world: World, session: Session, effect: fx.RunCheck) -> e.Event:
    task = session.tasks[effect.task]
    run = task.runs[-1]
    names = [check.name for check in task.plan.checks]
    place = names.index(effect.check)
    directory = check_directory(world, run.id, place)
    result = await run_check(
        world,
        task.plan.checks[place],
        directory=directory,
        cwd=world.worktrees.path(seat_of(session, task).folder),
        env=environment_of(world, session, task),
        grace=session.terms.grace,
    )
    facts = {
        "check": result.name,
        "command": task.plan.checks[place].command,
        "status": result.status,
        "code": result.code,
        "commit": task.commit,
    }
    record = evidence_of(world, task, Operation.CHECK, facts, log=directory / "output.log")
    return e.CheckFinished(world.clock.now(), task.number, run.id, result, (record,))


async def judge_run(world: World, session: Session, effect: fx.JudgeRun) -> e.Event:
    task = session.tasks[effect.task]
    return e.VerdictReached(world.clock.now(), task.number, effect.run, verdict_on(task, session.terms))
