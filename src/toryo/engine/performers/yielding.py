"""Setting a task aside: its run is stopped, and what it did is kept as a commit."""

import json
from contextlib import suppress
from pathlib import Path

from toryo.domain import events as e
from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.engine.performers.listening import final_report
from toryo.engine.performers.recording import seat_of, write_private
from toryo.ports import Agent, Ended, Point, WorktreeMissing, World
from toryo.rules.briefing import unfinished_message

_NOTE = "set-aside.json"


@fact
class Reason:
    """Written down before the run is stopped: whoever finds it ended knows that it did not end by itself."""

    behind: int
    files: tuple[str, ...]


def note_reason(directory: Path, reason: Reason) -> None:
    write_private(directory / _NOTE, json.dumps({"behind": reason.behind, "files": reason.files}))


def reason_in(directory: Path) -> Reason | None:
    """Why the run was stopped, where it was set aside by somebody who did not come to record it."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        note = json.loads((directory / _NOTE).read_bytes())
        return Reason(int(note["behind"]), tuple(map(str, note["files"])))
    return None


async def put_aside(
    world: World, session: Session, task: Task, agent: Agent, ended: Ended | None, reason: Reason
) -> e.Event:
    """What the stopped run left is committed on its branch."""
    run = task.runs[-1]
    report = await final_report(world, task, agent)
    await world.host.mask_record(world.run_directory(run.id))
    reaped = ended.reaped if ended else 0
    base, message = Point(task.base, task.base_tree), unfinished_message(task)
    try:
        left = await world.worktrees.commit_leftovers(
            seat_of(session, task), base=base, start=run.start_commit, message=message, merging=""
        )
    except WorktreeMissing:
        return e.RunStopped(world.clock.now(), task.number, run.id, reaped, report)
    kept = (left.point.commit, left.point.tree)
    return e.TaskSetAside(world.clock.now(), task.number, run.id, reason.behind, reason.files, *kept, reaped, report)
