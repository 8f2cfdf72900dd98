"""Claiming a slot for a task, making its place of work ready, and clearing it away."""

import uuid

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.errors import GitFailed
from toryo.domain.evidence import Evidence, Operation
from toryo.domain.plan import Collisions, WorktreeChoice
from toryo.domain.report import Trouble
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task
from toryo.domain.verdict import BlockReason
from toryo.engine.performers.noticing import task_branch_changed
from toryo.engine.performers.recording import (
    check_directory,
    environment_of,
    evidence_of,
    merging_commit,
    run_on_record,
    seat_of,
    tail_of,
)
from toryo.ports import Conflict, Point, Seat, WorktreeMissing, World
from toryo.rules.briefing import is_merged_in
from toryo.rules.landing import work_of
from toryo.rules.testimony import of_setup


async def plan_run(world: World, session: Session, effect: fx.PlanRun) -> e.Event:
    """Every name the run will have is recorded before anything starts."""
    task = session.tasks[effect.task]
    previous = next((run for run in reversed(task.runs) if run.agent == task.plan.agent), None)
    is_known = previous and not (previous.report and previous.report.trouble is Trouble.CONVERSATION)
    conversation = previous.conversation if previous and is_known else str(uuid.uuid4())
    return e.RunPlanned(world.clock.now(), task.number, f"run-{uuid.uuid4()}", task.plan.agent, conversation)


async def prepare_workspace(world: World, session: Session, effect: fx.PrepareWorkspace) -> e.Event:
    """The worktree, standing where the task should begin, with the set-up commands done."""
    task = session.tasks[effect.task]
    seat = seat_of(session, task)
    is_new = not task.base or not task.worktree
    if not world.worktrees.has_branch(task.plan.branch) and (seen := await task_branch_changed(world, session, task)):
        return seen
    try:
        head = await (_make(world, session, task, seat) if is_new else world.worktrees.reopen(seat))
    except Conflict as conflict:
        return e.BasesConflicted(world.clock.now(), task.number, effect.run, conflict.files)
    except WorktreeMissing as missing:
        detail = f"its worktree is gone: {missing}; 'toryo retry {task.plan.key}' makes it again from its branch"
        return e.WorkspaceRefused(world.clock.now(), task.number, effect.run, BlockReason.MISSING_WORKTREE, detail)
    base = Point(task.base, task.base_tree) if task.base else head
    evidence: list[Evidence] = []
    if is_new:
        for place, command in enumerate(session.terms.setup):
            failure, record = await _set_up(world, session, task, place, command, evidence[-1] if evidence else None)
            evidence.append(record)
            if failure:
                refused = (BlockReason.SETUP_FAILED, failure, tuple(evidence))
                return e.WorkspaceRefused(world.clock.now(), task.number, effect.run, *refused)
    return e.WorkspacePrepared(
        world.clock.now(), task.number, effect.run, base.commit, base.tree, head.commit, tuple(evidence)
    )


async def _make(world: World, session: Session, task: Task, seat: Seat) -> Point:
    if task.from_tip and not task.base:
        tip = Point(session.tip, session.tip_tree)
        own = task.set_aside.commit if task.set_aside and is_merged_in(task) else ""
        merging = merging_commit(session, task) or own
        return await world.worktrees.begin_anew(seat, tip, keeping=task.commit, merging=merging)
    if task.base:
        return await world.worktrees.bring_back(seat, Point(task.base, task.base_tree))
    return await world.worktrees.create(seat, _bases(session, task), adopt=len(task.runs) > 1)


def _bases(session: Session, task: Task) -> list[Point]:
    """No dependency: the session's base; one: its work; several: their work, to be merged."""
    if task.plan.mends:
        mended = work_of(session, session.tasks[session.keys[task.plan.mends]])
        return [Point(mended.commit, mended.tree)]
    needs = [session.tasks[number] for number in task.depends_on]
    if session.terms.collisions is Collisions.SERIALISE and all(need.state in MERGED for need in needs):
        return [Point(session.tip, session.tip_tree)]  # what it may have waited for is in there
    points = [Point(need.commit, need.tree) for need in needs if need.commit]
    return points or [Point(session.base_commit, session.base_tree)]


async def _set_up(
    world: World, session: Session, task: Task, place: int, command: str, after: Evidence | None
) -> tuple[str, Evidence]:
    assert task.run is not None
    directory = check_directory(world, task.run.id, place, "setup")
    ran = await run_on_record(
        world,
        command,
        directory=directory,
        cwd=world.worktrees.path(seat_of(session, task).folder),
        env=environment_of(world, session, task),
        timeout=session.terms.time_limit,
        grace=session.terms.grace,
    )
    code = ran.ended.code if ran.ended else None
    log = directory / "output.log"
    record = evidence_of(world, task, Operation.SETUP, of_setup(command, code), log=log, after=after)
    if code == 0 and not ran.timed_out:
        return "", record
    what = "did not end in time" if ran.timed_out else f"failed with code {code}"
    return f"set-up command {what}: {command}\n{tail_of(log)}".strip(), record


async def remove_workspace(world: World, session: Session, effect: fx.RemoveWorkspace) -> e.Event:
    """Never by force: what git would lose with it keeps it there."""
    task = session.tasks[effect.task]
    if task.plan.worktree is WorktreeChoice.SHARED:
        return e.WorkspaceRemoved(world.clock.now(), task.number)  # the folder goes when the session is over
    try:
        why_not = await world.worktrees.remove_folder(seat_of(session, task))
    except GitFailed as failed:
        why_not = str(failed)
    if why_not:
        return e.WorkspaceKept(world.clock.now(), task.number, why_not)
    return e.WorkspaceRemoved(world.clock.now(), task.number)
