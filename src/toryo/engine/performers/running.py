"""Starting an agent, waiting for its end, and stopping it."""

import asyncio
import os
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Operation
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.engine.performers.recording import environment_of, evidence_of, seat_of
from toryo.ports import Ended, Errand, Launch, World
from toryo.rules.briefing import brief


async def start_run(world: World, session: Session, effect: fx.StartRun) -> e.Event:
    """Starts the agent at most once, however often this is asked."""
    task = session.tasks[effect.task]
    run = task.runs[-1]
    directory = world.run_directory(run.id)
    _make_private(directory)
    prompt = directory / "prompt.md"
    _write_private(prompt, brief(task))
    worktree = world.worktrees.path(seat_of(session, task).folder)
    is_first = all(other.conversation != run.conversation for other in task.runs[:-1])
    errand = Errand(
        task.plan.key, task.attempts + 1, task.plan.command, run.conversation, is_first, directory, worktree
    )
    invocation = world.agents[run.agent].invocation(errand)
    env = {**environment_of(world, session, task), "TORYO_PROMPT": str(prompt), **invocation.env}
    stdin = prompt if invocation.reads_prompt_from_stdin else None
    pid = await world.host.start(Launch(directory, invocation.argv, worktree, env, stdin))
    return e.RunStarted(world.clock.now(), task.number, run.id, pid)


async def await_run(world: World, session: Session, effect: fx.AwaitRun) -> e.Event:
    """The end of the run's process; only a hard time limit ends a silent one."""
    task = session.tasks[effect.task]
    run = task.runs[-1]
    directory = world.run_directory(run.id)
    assert run.started_at is not None
    deadline = run.started_at + (task.plan.limits.seconds or session.terms.time_limit)
    try:
        async with asyncio.timeout(max(0.0, deadline - world.clock.now())):
            ended = await world.host.wait(directory)
        ended_by = EndedBy.ITSELF
    except TimeoutError:
        ended = await world.host.stop(directory, session.terms.grace)
        ended_by = EndedBy.TIME_LIMIT
    return _end(world, task, ended, ended_by)


async def stop_run(world: World, session: Session, effect: fx.StopRun) -> e.Event:
    """Ends the whole process tree; a run that had ended by itself keeps its own result."""
    task = session.tasks[effect.task]
    directory = world.run_directory(effect.run)
    if world.host.has_ended(directory):
        return _end(world, task, await world.host.wait(directory), EndedBy.ITSELF)
    ended = await world.host.stop(directory, session.terms.grace)
    return e.RunStopped(world.clock.now(), task.number, effect.run, ended.reaped if ended else 0)


def _end(world: World, task: Task, ended: Ended | None, ended_by: EndedBy) -> e.Event:
    run = task.runs[-1]
    now = world.clock.now()
    if ended is None and ended_by is EndedBy.ITSELF:
        return e.RunLost(now, task.number, run.id, "the run's process vanished without an exit record")
    code = ended.code if ended else 137
    reaped = ended.reaped if ended else 0
    facts = {"agent": run.agent, "run": run.id, "code": code, "ended_by": ended_by, "reaped": reaped}
    log = world.run_directory(run.id) / "output.log"
    record = evidence_of(world, task, Operation.AGENT, facts, log=log)
    ended_at = ended.at if ended else now
    return e.RunExited(now, task.number, run.id, code, ended_by, reaped, (record,), ended_at)


def _make_private(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)


def _write_private(path: Path, text: str) -> None:
    # Agents write what they like; a lone surrogate in feedback must not stop the next run.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode(errors="backslashreplace"))
