"""Seeing for ourselves what a run left behind, running the checks, and reaching a verdict."""

import asyncio
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckResult, Evidence, Operation
from toryo.domain.run import Observation, Run
from toryo.domain.session import Session
from toryo.domain.task import Task
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
    tail_of,
)
from toryo.ports import Point, WorktreeMissing, World
from toryo.rules.briefing import commit_message
from toryo.rules.judging import RULES_VERSION, verdict_on
from toryo.rules.masking import mask
from toryo.rules.scope import out_of_scope
from toryo.rules.shaping import is_audit_task
from toryo.rules.testimony import of_check, of_files, of_verdict

_LONGEST_RESULT, _RESULT_LINES = 20_000, 2000
"""Of what a read-only task wrote; the log has the rest."""


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
    result = _result_of(run, log) if task.plan.type.is_read_only else ""
    seen = Observation(
        commit=left.point.commit,
        tree=left.point.tree,
        changes=left.changes,
        run_changed=left.run_changed,
        missing=tuple(path for path in task.plan.expect if not (worktree / path).exists()),
        out_of_scope=out_of_scope(paths, task.plan.scope),
        problems=(*left.problems, *_unreadable(session, task, result)),
        output_bytes=log.stat().st_size if log.exists() else 0,
        outside=outside.result(),
        result=result,
        diff_sha256=left.diff_sha256,
        blemishes=inspection.blemishes,
        more_blemishes=inspection.more_blemishes,
        protected=inspection.protected,
        unread=inspection.unread,
    )
    record = evidence_of(world, task, Operation.FILES, of_files(task, run, seen))
    return e.WorkObserved(world.clock.now(), task.number, run.id, seen, (record,))


def _unreadable(session: Session, task: Task, result: str) -> tuple[str, ...]:
    """Why nothing can come of what an audit told."""
    if not is_audit_task(session, task.plan) or not result:
        return ()
    from toryo.adapters.findingreplies import findings_in
    from toryo.adapters.replies import BadReply

    try:
        findings_in(result)
    except BadReply as bad:
        return tuple(f"its findings cannot be read: {error}" for error in bad.errors)
    return ()


def _result_of(run: Run, log: Path) -> str:
    """What it wrote, where that is all it was to do: its last words, or all it printed where it has no protocol."""
    if run.report and run.report.tells_end:
        text = mask(run.report.last_words)
    else:
        text = tail_of(log, lines=_RESULT_LINES, length=_LONGEST_RESULT)
    return text.strip()[-_LONGEST_RESULT:]


async def perform_check(world: World, session: Session, effect: fx.RunCheck) -> e.Event:
    task = session.tasks[effect.task]
    result, record = await _check(world, session, task, effect.check)
    return e.CheckFinished(world.clock.now(), task.number, effect.run, result, (record,))


async def check_base(world: World, session: Session, effect: fx.CheckBase) -> e.Event:
    """The same check, on the files the task starts from; what it leaves lying about goes before the agent comes."""
    task = session.tasks[effect.task]
    result, record = await _check(world, session, task, effect.check, on_base=True)
    await world.worktrees.tidy(seat_of(session, task))
    return e.BaseChecked(world.clock.now(), task.number, effect.run, result, (record,))


async def _check(
    world: World, session: Session, task: Task, name: str, *, on_base: bool = False
) -> tuple[CheckResult, Evidence]:
    place = [check.name for check in task.plan.checks].index(name)
    check = task.plan.checks[place]
    directory = check_directory(world, task.runs[-1].id, place, "before" if on_base else "check")
    result = await run_check(
        world,
        check,
        directory=directory,
        cwd=world.worktrees.path(seat_of(session, task).folder),
        env=environment_of(world, session, task),
        grace=session.terms.grace,
    )
    if on_base:
        facts = of_check(check, result, stage="before", commit=task.base, tree=task.base_tree)
    else:
        facts = of_check(check, result, stage="task", commit=task.commit, tree=task.tree)
    return result, evidence_of(world, task, Operation.CHECK, facts, log=directory / "output.log")


async def judge_run(world: World, session: Session, effect: fx.JudgeRun) -> e.Event:
    task = session.tasks[effect.task]
    verdict = verdict_on(task, session.terms)
    facts = of_verdict(task, task.runs[-1], session.terms, verdict, RULES_VERSION)
    record = evidence_of(world, task, Operation.VERDICT, facts)
    return e.VerdictReached(world.clock.now(), task.number, effect.run, verdict, (record,))
