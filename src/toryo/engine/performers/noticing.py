"""Noticing that somebody else moved or deleted a branch, and seeing to it that nothing is lost by that."""

from toryo.domain import events as e
from toryo.domain.integration import Found
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.engine.performers.recording import home_of, seat_of
from toryo.ports import Point, World


async def session_branch_changed(world: World, session: Session, merging: str = "") -> e.Event | None:
    """None: the session's branch is where it was left. One that is gone is made again."""
    home, tip = home_of(session), Point(session.tip, session.tip_tree)
    is_begun = session.tip != session.base_commit
    stand = await world.integration.look(home, tip, is_begun=is_begun, merging=merging)
    if stand is None:
        return None
    if stand.what is Found.GONE:
        await world.worktrees.restore(session.branch, tip.commit)
    elif stand.what is Found.ELSEWHERE:
        await world.worktrees.keep(home.folder, tip.commit)
        await world.worktrees.remove_folder(home)  # else git would not let a person put the branch back
    now = world.clock.now()
    return e.FoundChanged(now, stand.what, session.branch, tip.commit, stand.commit, stand.tree)


async def task_branch_changed(world: World, session: Session, task: Task) -> e.Event | None:
    """None: the task's branch is where its work was last seen, or it is known that it is not."""
    branch = task.plan.branch
    stand = await world.worktrees.look(branch, task.commit) if task.commit else None
    if stand is None:
        return None
    if stand.what is Found.GONE:
        await world.worktrees.restore(branch, task.commit)
    elif any((seen.branch, seen.commit) == (branch, stand.commit) for seen in session.noticed):
        return None
    else:
        await world.worktrees.keep(seat_of(session, task).folder, task.commit)
    now = world.clock.now()
    return e.FoundChanged(now, stand.what, branch, task.commit, stand.commit, stand.tree, task.number)
