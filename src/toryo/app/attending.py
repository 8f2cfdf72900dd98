"""Finding the window of a run, or opening one, so that a person can watch it or step in."""

import asyncio
import os
from pathlib import Path

from toryo.adapters.hosts.tmux_command import TmuxFailed
from toryo.adapters.hosts.windows import Window, attach_argv, open_view, window_of
from toryo.app.configuration import settings_of
from toryo.app.crew import agents_of, why_no_windows
from toryo.app.project import Project
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.run import Run
from toryo.domain.session import Session
from toryo.domain.task import LIVE, Task
from toryo.ports import Screen
from toryo.rules.naming import window_names


def attaching_command(project: Project, session: Session, task: Task) -> list[str]:
    """The command that brings a person in front of the task's run; raises where there is nothing to see."""
    run = _live_run(task)
    why = why_no_windows(settings_of(project).run.host)
    if why:
        raise ToryoError(
            "E504",
            f"there is no window to attach to: {why}",
            hint=f"watch it with 'toryo logs --follow {task.plan.key}'",
            exit_code=Exit.MISSING,
        )
    record = project.place.store / "runs" / run.id
    try:
        window = asyncio.run(_window(project, session, task, run, record))
    except TmuxFailed as failed:
        raise ToryoError(
            "E504",
            f"tmux could not open a window: {failed}",
            hint=f"watch it with 'toryo logs --follow {task.plan.key}'",
            exit_code=Exit.MISSING,
        ) from failed
    return attach_argv(window, os.environ)


def _live_run(task: Task) -> Run:
    run = task.run
    if run is None or task.state not in LIVE or run.started_at is None or run.ended_at is not None:
        state = "has not started yet" if run is None or run.started_at is None else "is over"
        raise ToryoError(
            "E505",
            f"{task.plan.key} has no run to attach to: it {state}",
            hint=f"'toryo logs {task.plan.key}' shows what its agent said, 'toryo info {task.plan.key}' how it stands",
        )
    return run


async def _window(project: Project, session: Session, task: Task, run: Run, record: Path) -> Window:
    if window := await window_of(record):
        return window
    agent = agents_of(settings_of(project)).get(run.agent)
    has_protocol = agent is not None and agent.abilities.has_protocol
    group, title = window_names(session, task)
    return await open_view(record, Screen(group, title, record / ("readable.log" if has_protocol else "output.log")))
