"""Waiting for the end of a run, listening to it meanwhile, and stopping it."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Operation
from toryo.domain.report import Trouble
from toryo.domain.run import EndedBy
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason
from toryo.engine.performers.listening import Over, final_report, is_over, next_limit, next_remark, next_sight
from toryo.engine.performers.recording import agent_of, evidence_of
from toryo.engine.performers.yielding import Reason, note_reason, put_aside, reason_in
from toryo.ports import Agent, Ended, World
from toryo.rules.testimony import of_exit, of_loss

_NOT_FOUND = (126, 127)


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
            return await _end_of_run(world, session, task, agent, end.result())
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
        return await _end_of_run(world, session, task, agent, await world.host.wait(directory))
    ended = await world.host.stop(directory, session.terms.grace)
    report = await final_report(world, task, agent)
    await world.host.mask_record(directory)
    return e.RunStopped(world.clock.now(), task.number, effect.run, ended.reaped if ended else 0, report)


async def set_task_aside(world: World, session: Session, effect: fx.SetTaskAside) -> e.Event:
    """The same for a task that is to go on later, from somebody else's merged work."""
    task = session.tasks[effect.task]
    directory = world.run_directory(effect.run)
    agent = agent_of(world, task.runs[-1].agent)
    if world.host.has_ended(directory):
        return await _end_of_run(world, session, task, agent, await world.host.wait(directory))
    reason = Reason(effect.behind, effect.files)
    note_reason(directory, reason)
    ended = await world.host.stop(directory, session.terms.grace)
    return await put_aside(world, session, task, agent, ended, reason)


async def _end_of_run(world: World, session: Session, task: Task, agent: Agent, ended: Ended | None) -> e.Event:
    """It ended by itself, unless somebody was about to set it aside and died before it could say so."""
    if reason := reason_in(world.run_directory(task.runs[-1].id)):
        return await put_aside(world, session, task, agent, ended, reason)
    return await _end(world, task, agent, ended, Over(EndedBy.ITSELF))


async def _end(world: World, task: Task, agent: Agent, ended: Ended | None, over: Over) -> e.Event:
    run = task.runs[-1]
    now = world.clock.now()
    report = await final_report(world, task, agent)
    if over.ended_by is EndedBy.ITSELF and is_over(report, agent):
        # It was ended once its turn was over, and whoever did that died before it could say so.
        over = Over(EndedBy.TURN)
    log = world.run_directory(run.id) / "output.log"
    last_word = _last_word(log, now)
    await world.host.mask_record(log.parent)
    if ended is None and over.ended_by is EndedBy.ITSELF:
        why = "the run's process vanished without an exit record"
        record = evidence_of(world, task, Operation.AGENT, of_loss(run, why, report))
        return e.RunLost(now, task.number, run.id, why, report, (record,))
    code = ended.code if ended else 137
    reaped = ended.reaped if ended else 0
    ended_at = ended.at if ended else now
    asked: dict[str, object] = {}
    if over.ended_by is EndedBy.QUESTION:
        question = over.question or run.question
        report = replace(report, question=question)
        waited = now - (run.waiting_since or last_word)
        asked = {
            "blocked_reason": BlockReason.INTERACTIVE_PROMPT,
            "detected_pattern": question,
            "timeout_ms": round(waited * 1000),
            "terminated_by": "toryo",
        }
    if code in _NOT_FOUND and (program := agent.program()) and shutil.which(program) is None:
        report = replace(report, trouble=Trouble.PROGRAM, message=f"{program} is not installed")
    facts = of_exit(run, code, over.ended_by, reaped, ended_at, report)
    record = evidence_of(world, task, Operation.AGENT, facts | asked, log=log)
    return e.RunExited(now, task.number, run.id, code, over.ended_by, reaped, (record,), ended_at, report)


def _last_word(log: Path, now: float) -> float:
    return log.stat().st_mtime if log.exists() else now
