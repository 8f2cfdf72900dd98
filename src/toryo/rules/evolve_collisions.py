"""How collisions that are foreseen change the session, and being set aside changes a task."""

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.collisions import SetAside
from toryo.domain.run import RunState
from toryo.domain.session import Session
from toryo.domain.task import MERGED, TaskState
from toryo.rules.evolve_runs import after_stop, spent
from toryo.rules.taskbook import change_run, change_task, with_run


def collisions_foreseen(session: Session, event: e.CollisionsForeseen) -> Session:
    return changed(session, collisions=event.collisions, touched=event.touched)


def task_set_aside(session: Session, event: e.TaskSetAside) -> Session:
    task, run = change_run(
        session, event, RunState.STOPPED, reaped=event.reaped, ended_at=event.at, report=event.report
    )
    state, others = after_stop(task)
    unmet = sum(session.tasks[need].state not in MERGED for need in task.depends_on)
    # It begins from the merged work, so what it builds on has to be in there.
    anew = {"base": "", "from_tip": True, "needs_merged_dependencies": True, "unmet": unmet}
    work = {"commit": event.commit, "tree": event.tree, "set_aside": SetAside(event.behind, event.files, event.commit)}
    waiting = {"behind": event.behind, "asides": task.asides + 1} if state is TaskState.PLANNED else {}
    session = spent(session, run, event.report)
    return change_task(session, task, state, **with_run(task, run), **others, **anew, **work, **waiting)
