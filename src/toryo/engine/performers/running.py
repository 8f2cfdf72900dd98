"""Starting an agent, waiting for its end, and stopping it."""

import asyncio
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Operation
from toryo.domain.report import Trouble
from toryo.domain.run import EndedBy, Mode
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason
from toryo.engine.performers.listening import Over, final_report, next_limit, next_remark, next_sight
from toryo.engine.performers.recording import (
    agent_environment,
    agent_of,
    evidence_of,
    note_checkout,
    seat_of,
    write_private,
)
from toryo.ports import Agent, Ended, Errand, Launch, Screen, World
from toryo.rules.briefing import Setting, brief
from toryo.rules.naming import window_names

_RULES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "CONTRIBUTING.md")
_NOT_FOUND = (126, 127)


async def start_run(world: World, session: Session, effect: fx.StartRun) -> e.Event:
    """Starts the agent at most once, however often this is asked."""
    task = session.tasks[effect.task]
    run = task.runs[-1]
    agent = agent_of(world, run.agent)
    errand = _errand(world, session, task, agent)
    _make_private(errand.directory)
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
        **invocation.env,
    }
    await note_checkout(world, agent, errand.directory)
    stdin = errand.prompt_file if invocation.reads_prompt_from_stdin else None
    screen = _screen(session, task, agent, errand)
    if invocation.ready:
        screen = replace(screen, types=errand.prompt_file, ready=invocation.ready)
    pid = await world.host.start(Launch(errand.directory, invocation.argv, errand.worktree, env, stdin, screen))
    return e.RunStarted(world.clock.now(), task.number, run.id, pid)


def _errand(world: World, session: Session, task: Task, agent: Agent) -> Errand:
    run = task.runs[-1]
    worktree = world.worktrees.path(seat_of(session, task).folder)
    is_known = any(other.conversation == run.conversation and other.started_at for other in task.runs[:-1])
    setting = Setting(
        rules=tuple(name for name in _RULES if (worktree / name).is_file()),
        done=tuple(f"{need.plan.key}: {need.plan.title}" for need in map(session.tasks.__getitem__, task.depends_on)),
        is_first=not (is_known and agent.abilities.resumes),
        needs_sentinel=agent.abilities.needs_sentinel,
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
    )


def _screen(session: Session, task: Task, agent: Agent, errand: Errand) -> Screen:
    group, title = window_names(session, task)
    if agent.mode is Mode.INTERACTIVE:
        return Screen(group, title, None)
    return Screen(group, title, errand.directory / ("readable.log" if agent.abilities.has_protocol else "output.log"))


async def await_run(world: World, session: Session, effect: fx.AwaitRun) -> e.Event:
    """The end of the run's process, or what it tells before; only a limit of time ends a silent one."""
    task = session.tasks[effect.task]
    directory = world.run_directory(effect.run)
    agent = agent_of(world, task.runs[-1].agent)
    end = asyncio.create_task(world.host.wait(directory))
    senses = [
        asyncio.create_task(next_remark(world, task, agent)),
        asyncio.create_task(next_sight(world, task, agent, session.terms.prompt_silence)),
        asyncio.create_task(next_limit(world, task, session.terms)),
    ]
    try:
        done, _ = await asyncio.wait({end, *senses}, return_when=asyncio.FIRST_COMPLETED)
        if end in done:
            return await _end(world, task, agent, end.result(), Over(EndedBy.ITSELF))
        told = next(sense.result() for sense in senses if sense in done)
        if isinstance(told, e.Event):
            return told
    finally:
        await _cancel(end, *senses)
    return await _end(world, task, agent, await world.host.stop(directory, session.terms.grace), told)


async def _cancel(*tasks: "asyncio.Task[object]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def stop_run(world: World, session: Session, effect: fx.StopRun) -> e.Event:
    """Ends the whole process tree; a run that had ended by itself keeps its own result."""
    task = session.tasks[effect.task]
    directory = world.run_directory(effect.run)
    agent = agent_of(world, task.runs[-1].agent)
    if world.host.has_ended(directory):
        return await _end(world, task, agent, await world.host.wait(directory), Over(EndedBy.ITSELF))
    ended = await world.host.stop(directory, session.terms.grace)
    report = await final_report(world, task, agent)
    return e.RunStopped(world.clock.now(), task.number, effect.run, ended.reaped if ended else 0, report)


async def _end(world: World, task: Task, agent: Agent, ended: Ended | None, over: Over) -> e.Event:
    run = task.runs[-1]
    now = world.clock.now()
    report = await final_report(world, task, agent)
    if ended is None and over.ended_by is EndedBy.ITSELF:
        return e.RunLost(now, task.number, run.id, "the run's process vanished without an exit record", report)
    code = ended.code if ended else 137
    reaped = ended.reaped if ended else 0
    facts: dict[str, object] = {
        "agent": run.agent,
        "run": run.id,
        "code": code,
        "ended_by": over.ended_by,
        "reaped": reaped,
    }
    if over.ended_by is EndedBy.QUESTION:
        question = over.question or run.question
        report = replace(report, question=question)
        waited = (now - run.waiting_since) if run.waiting_since else 0.0
        facts |= {
            "blocked_reason": BlockReason.INTERACTIVE_PROMPT,
            "detected_pattern": question,
            "timeout_ms": round(waited * 1000),
            "terminated_by": "toryo",
        }
    if code in _NOT_FOUND and (program := agent.program()) and shutil.which(program) is None:
        report = replace(report, trouble=Trouble.PROGRAM, message=f"{program} is not installed")
    log = world.run_directory(run.id) / "output.log"
    record = evidence_of(world, task, Operation.AGENT, facts, log=log)
    ended_at = ended.at if ended else now
    return e.RunExited(now, task.number, run.id, code, over.ended_by, reaped, (record,), ended_at, report)


def _make_private(directory: Path) -> None:
    for missing in reversed([path for path in (directory, *directory.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
