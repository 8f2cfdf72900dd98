"""Merging accepted work on the session's branch: the only way there, and it leads through the checks."""

import shutil
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckResult, CheckStatus, Evidence, Operation
from toryo.domain.plan import CheckMerges, OnFailure, PlannedTask, TaskType
from toryo.domain.run import PERSON
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Disposition
from toryo.engine.performers.noticing import session_branch_changed, task_branch_changed
from toryo.engine.performers.recording import check_directory, environment_of, evidence_of, home_of, run_check
from toryo.ports import Combined, Conflict, Point, World
from toryo.rules.briefing import merge_message
from toryo.rules.colliding import conflict_acceptance, conflict_description
from toryo.rules.findings import say_failure
from toryo.rules.judging import conflict_disposition
from toryo.rules.kinds import checks_for
from toryo.rules.naming import branch_name
from toryo.rules.testimony import of_check, of_merge, of_refusal


async def merge_task(world: World, session: Session, effect: fx.MergeTask) -> e.Event:
    """Merge, prove, commit; a conflict or a failing check leaves the branch as it was."""
    task = session.tasks[effect.task]
    home, tip = home_of(session), Point(session.tip, session.tip_tree)
    if task.plan.type.is_read_only:
        return _integrated(world, session, task, tip, Combined(tip.tree), ())  # a written result: nothing to merge
    if seen := await _branches_changed(world, session, task):
        return seen
    try:
        combined = await world.integration.combine(home, tip, task.commit)
    except Conflict as conflict:
        files = ", ".join(conflict.files)
        text = f"It conflicts with work that was merged meanwhile, in: {files}"
        return _refused(world, session, task, conflict.files, text)
    results, records = await _prove(world, session, task, combined.tree)
    if failed := [result for result in results if _counts_against(task, result)]:
        await world.integration.abandon(home, tip, task.commit)
        await world.integration.forget(tip, task.commit, combined.remembered)
        return _refused(world, session, task, combined.remembered, _say_failures(combined, failed), records)
    if session.terms.keep_worktrees:
        await world.integration.lay_out(home, tip, combined.tree)
    merged = await world.integration.finish(home, tip, task.commit, combined.tree, merge_message(session, task))
    if settled := _settled_here(session, task):
        await world.integration.learn(tip, settled, task.commit)
    return _integrated(world, session, task, merged, combined, results, records)


async def _branches_changed(world: World, session: Session, task: Task) -> e.Event | None:
    seen = await session_branch_changed(world, session, merging=task.commit)
    return seen or await task_branch_changed(world, session, task)


def _say_failures(combined: Combined, failed: list[CheckResult]) -> str:
    said = "\n".join(f"{say_failure(result)}\n{result.tail}" for result in failed)
    if combined.remembered:
        return f"Its conflict was settled as the same one was before, but that does not pass here:\n{said}"
    return f"It passes alone, but not merged with the rest:\n{said}"


def _settled_here(session: Session, task: Task) -> str:
    """The work whose conflict this task's work settles; empty: none."""
    if task.resolves is not None:
        return session.tasks[task.resolves].commit
    run = task.runs[-1]
    return task.first_try or run.start_commit if run.agent == PERSON else ""


def _counts_against(task: Task, result: CheckResult) -> bool:
    harmless = {check.name for check in task.plan.checks if check.on_failure is OnFailure.WARN}
    return result.status is not CheckStatus.PASSED and result.name not in harmless


async def _prove(
    world: World, session: Session, task: Task, tree: str
) -> tuple[tuple[CheckResult, ...], tuple[Evidence, ...]]:
    """What passed on exactly these files need not be shown twice."""
    if tree == task.tree:
        return task.runs[-1].results, ()
    if session.terms.check_merges is CheckMerges.END:
        return (), ()
    results: list[CheckResult] = []
    records: list[Evidence] = []
    needed = checks_for(task, task.run)
    if needed:
        await _stop_old_checks(world, session, task)
        await world.integration.lay_out(home_of(session), Point(session.tip, session.tip_tree), tree)
    for place, check in enumerate(task.plan.checks):
        if check not in needed:
            continue
        directory = _merge_check_directory(world, task, place)
        result = await run_check(
            world,
            check,
            directory=directory,
            cwd=world.worktrees.path(home_of(session).folder),
            env=environment_of(world, session, task),
            grace=session.terms.grace,
        )
        results.append(result)
        facts = of_check(check, result, stage="merge", commit=task.commit, tree=tree)
        last = records[-1] if records else None
        records.append(evidence_of(world, task, Operation.CHECK, facts, log=directory / "output.log", after=last))
    return tuple(results), tuple(records)


def _merge_check_directory(world: World, task: Task, place: int) -> Path:
    # One that was taken back keeps its logs.
    stage = f"merge-again-{task.taken_back}" if task.taken_back else "merge"
    return check_directory(world, task.runs[-1].id, place, stage)


async def _stop_old_checks(world: World, session: Session, task: Task) -> None:
    """Checks of a try that was cut short looked at files that are about to change: stop them, start over."""
    for place in range(len(task.plan.checks)):
        directory = _merge_check_directory(world, task, place)
        if directory.exists():
            await world.host.stop(directory, session.terms.grace)
            shutil.rmtree(directory)


def _integrated(
    world: World,
    session: Session,
    task: Task,
    merged: Point,
    combined: Combined,
    results: tuple[CheckResult, ...],
    records: tuple[Evidence, ...] = (),
) -> e.Event:
    facts = of_merge(session, task, merged.commit, merged.tree, results, combined.remembered)
    record = evidence_of(world, task, Operation.MERGE, facts, after=records[-1] if records else None)
    evidence = (*records, record)
    now = world.clock.now()
    return e.TaskIntegrated(now, task.number, merged.commit, merged.tree, results, evidence, combined.remembered)


def _refused(
    world: World,
    session: Session,
    task: Task,
    files: tuple[str, ...],
    feedback: str,
    records: tuple[Evidence, ...] = (),
) -> e.Event:
    disposition = conflict_disposition(task, session.terms)
    if not files and disposition is Disposition.RESOLVE:
        disposition = Disposition.REDO  # nothing to settle by hand: the lines do not overlap
    resolution = _resolution(world, session, task, files) if disposition is Disposition.RESOLVE else None
    facts = of_refusal(session, task, disposition, files, feedback)
    record = evidence_of(world, task, Operation.MERGE, facts, after=records[-1] if records else None)
    evidence = (*records, record)
    return e.MergeRefused(world.clock.now(), task.number, disposition, files, feedback, resolution, evidence)


def _resolution(world: World, session: Session, task: Task, files: tuple[str, ...]) -> PlannedTask:
    title = f"Resolve conflict of {task.plan.key} {task.plan.title}"
    taken = {other.plan.branch for other in session.tasks.values()} | {session.branch}
    wanted = f"merge {task.plan.branch.removeprefix('agent/')}"
    while world.worktrees.has_branch(branch := branch_name(wanted, "merge", taken)):
        taken.add(branch)
    key = f"{task.plan.key}-merge"
    while key in session.keys:
        key += "-again"
    return PlannedTask(
        key=key,
        title=title,
        agent=session.terms.resolver or task.plan.agent,
        branch=branch,
        description=conflict_description(session, task, files),
        type=TaskType.INTEGRATION,
        acceptance=conflict_acceptance(session, task, files),
        expect=task.plan.expect,
        checks=task.plan.checks,
        resolves=task.plan.key,
    )


async def give_up_resolution(world: World, session: Session, effect: fx.GiveUpResolution) -> e.Event:
    """The conflict could not be settled by an agent: done again from the merged work, or over to a person."""
    task = session.tasks[effect.task]
    return _refused(world, session, task, (), f"{task.feedback}\nSettling that conflict did not succeed.")
