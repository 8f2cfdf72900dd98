"""Starting an agent: what it is told, what it sees, and where it can be watched."""

import asyncio
import shlex
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.run import Mode
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.engine.performers.recording import (
    agent_environment,
    agent_of,
    note_checkout,
    seat_of,
    write_private,
)
from toryo.ports import Agent, Errand, Launch, Screen, World
from toryo.rules.briefing import Setting, brief, decisions_of, others_of, results_of
from toryo.rules.naming import window_names

_RULES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "CONTRIBUTING.md")


async def start_run(world: World, session: Session, effect: fx.StartRun) -> e.Event:
    """Starts the agent at most once, however often this is asked."""
    task = session.tasks[effect.task]
    run = task.runs[-1]
    agent = agent_of(world, run.agent)
    errand = _errand(world, session, task, agent)
    _make_private(errand.directory)
    noting = asyncio.create_task(note_checkout(world, agent, errand.directory))
    try:
        await asyncio.sleep(0)  # git is at work from here on
        launch = _launch(world, session, task, agent, errand)
    finally:
        await noting
    pid = await world.host.start(launch)
    return e.RunStarted(world.clock.now(), task.number, run.id, pid)


def _launch(world: World, session: Session, task: Task, agent: Agent, errand: Errand) -> Launch:
    write_private(errand.prompt_file, errand.prompt)
    errand.signals.touch(mode=0o600)
    invocation = agent.invocation(errand)
    for path, text in invocation.files.items():
        _make_private(path.parent)
        write_private(path, text)
    for path, target in invocation.links.items():
        _make_private(path.parent)
        with suppress(FileExistsError):
            path.symlink_to(target)
    env = {
        **agent_environment(world, session, task, agent),
        "TORYO_PROMPT": str(errand.prompt_file),
        "TORYO_SIGNALS": str(errand.signals),
        "TORYO_BIN": str(_own_command(errand.directory)),
        **invocation.env,
    }
    stdin = errand.prompt_file if invocation.reads_prompt_from_stdin else None
    screen = _screen(session, task, agent, errand)
    if invocation.ready:
        screen = replace(screen, types=errand.prompt_file, ready=invocation.ready)
    return Launch(errand.directory, invocation.argv, errand.worktree, env, stdin, screen)


def _own_command(directory: Path) -> Path:
    """A way to call this very Toryo, whatever else is installed; by a path, as shells set PATH anew."""
    path = directory / "toryo"
    # Without the folder it is called in: a worktree may hold a package of the same name.
    write_private(path, f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m toryo "$@"\n')
    path.chmod(0o700)
    return path


def _errand(world: World, session: Session, task: Task, agent: Agent) -> Errand:
    run = task.runs[-1]
    worktree = world.worktrees.path(seat_of(session, task).folder)
    is_known = any(other.conversation == run.conversation and other.started_at for other in task.runs[:-1])
    setting = Setting(
        rules=tuple(name for name in _RULES if (worktree / name).is_file()),
        done=tuple(f"{need.plan.key}: {need.plan.title}" for need in map(session.tasks.__getitem__, task.depends_on)),
        results=results_of(session, task),
        decisions=decisions_of(session),
        others=others_of(session, task),
        is_first=not (is_known and agent.abilities.resumes),
        needs_sentinel=agent.abilities.needs_sentinel,
        may_observe=session.pursuit is not None,
    )
    return Errand(
        task_key=task.plan.key,
        attempt=task.attempts + 1,
        command=task.plan.command,
        conversation=run.conversation,
        is_first=setting.is_first,
        directory=world.run_directory(run.id),
        worktree=worktree,
        root=world.root,
        prompt=brief(task, setting),
        model=task.plan.model if task.plan.agent == run.agent else "",
    )


def _screen(session: Session, task: Task, agent: Agent, errand: Errand) -> Screen:
    group, title = window_names(session, task)
    if agent.mode is Mode.INTERACTIVE:
        return Screen(group, title, None)
    return Screen(group, title, errand.directory / ("readable.log" if agent.abilities.has_protocol else "output.log"))


def _make_private(directory: Path) -> None:
    for missing in reversed([path for path in (directory, *directory.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
