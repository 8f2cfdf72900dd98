"""Merging accepted work on the session's branch: the only way there, and it leads through the checks."""

import shutil
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckResult, CheckStatus, Evidence, Operation
from toryo.domain.plan import CheckMerges, OnFailure, PlannedTask, TaskType
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Disposition
from toryo.engine.performers.recording import check_directory, environment_of, evidence_of, home_of, run_check
from toryo.ports import Conflict, Point, World
from toryo.rules.briefing import conflict_description, merge_message
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
        return _integrated(world, session, task, tip, ())  # a written result: there is nothing to merge
    message = merge_message(session, task)
    try:
        if established := await _establish(world, session, task, message):
            return established
        if session.terms.check_merges is CheckMerges.END or not checks_for(task, task.run):
            merged = await world.integration.merge(home, tip, task.commit, message)
            return _integrated(world, session, task, merged, _shown_by(task, merged.tree))
        await _stop_old_checks(world, session, task)
        tree = await world.integration.begin(home, tip, task.commit)
        results, records = await _prove(world, session, task, tree)
        failed = [result for result in results if _counts_against(task, result)]
        if failed:
            await world.integration.abandon(home)
            said = "\n".join(f"{say_failure(result)}\n{result.tail}" for result in failed)
            text = f"It passes alone, but not merged with the rest:\n{said}"
            return _refused(world, session, task, (), text, records)
        merged = await world.integration.finish(home, task.commit, message)
        return _integrated(world, session, task, merged, results, records)
    except Conflict as conflict:
        files = ", ".join(conflict.files)
        text = f"It conflicts with work that was merged meanwhile, in: {files}"
        return _refused(world, session, task, conflict.files, text)


async def _establish(world: World, session: Session, task: Task, message: str) -> e.Event | None:
    """The first merge: where it changes nothing about the files that were checked, those results stand."""
    results = task.runs[-1].results
    if session.terms.keep_worktrees or any(_counts_against(task, result) for result in results):
        return None
    tip, work = Point(session.tip, session.tip_tree), Point(task.commit, task.tree)
    merged = await world.integration.establish(home_of(session), tip, work, message)
    return _integrated(world, session, task, merged, results) if merged else None


def _counts_against(task: Task, result: CheckResult) -> bool:
    harmless = {check.name for check in task.plan.checks if check.on_failure is OnFailure.WARN}
    return result.status is not CheckStatus.PASSED and result.name not in harmless


def _shown_by(task: Task, tree: str) -> tuple[CheckResult, ...]:
    """What its own checks have shown about these files."""
    return task.runs[-1].results if tree == task.tree else ()


async def _prove(
    world: World, session: Session, task: Task, tree: str
) -> tuple[tuple[CheckResult, ...], tuple[Evidence, ...]]:
    """What passed on exactly these files need not be shown twice."""
    if shown := _shown_by(task, tree):
        return shown, ()
    results: list[CheckResult] = []
    records: list[Evidence] = []
    needed = checks_for(task, task.run)
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
    results: tuple[CheckResult, ...],
    records: tuple[Evidence, ...] = (),
) -> e.Event:
    facts = of_merge(session, task, merged.commit, merged.tree, results)
    record = evidence_of(world, task, Operation.MERGE, facts, after=records[-1] if records else None)
    return e.TaskIntegrated(world.clock.now(), task.number, merged.commit, merged.tree, results, (*records, record))


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
        description=conflict_description(task, files),
        type=TaskType.INTEGRATION,
        acceptance=task.plan.acceptance,
        expect=task.plan.expect,
        checks=task.plan.checks,
        resolves=task.plan.key,
    )


async def give_up_resolution(world: World, session: Session, effect: fx.GiveUpResolution) -> e.Event:
    """The conflict could not be settled by an agent: done again from the merged work, or over to a person."""
    task = session.tasks[effect.task]
    return _refused(world, session, task, (), f"{task.feedback}\nSettling that conflict did not succeed.")
