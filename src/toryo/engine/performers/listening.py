"""Hearing what a run tells while it works, and putting it into words for whoever watches."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

from toryo.domain import events as e
from toryo.domain.facts import fact
from toryo.domain.plan import Terms
from toryo.domain.report import Report
from toryo.domain.run import EndedBy, Mode, RunState
from toryo.domain.signals import Elsewhere, Finished, Signal
from toryo.domain.task import Task
from toryo.engine.performers.recording import end_of
from toryo.ports import Agent, World
from toryo.rules.masking import Masker
from toryo.rules.patience import SILENT_AFTER, has_come_through, limits_of
from toryo.rules.prompting import prompt_in
from toryo.rules.reporting import heard, remark_on, with_own_share
from toryo.views.signals import Teller

_LOOK_EVERY, _LOOK_AGAIN = 2.0, 15.0
SENTINEL = "done"
"""The line by which an agent without a protocol says that its turn is over."""


@fact
class Over:
    """The run is over though its process is not."""

    ended_by: EndedBy
    question: str = ""


async def next_remark(world: World, task: Task, agent: Agent) -> e.TaskEvent | Over:
    """Waits until the run tells something worth recording, or that its turn is over."""
    run = task.runs[-1]
    async with aclosing(_reports(world, task, agent)) as reports:
        async for report in reports:
            # Without a protocol it is its screen that asks, and that shows when it goes on.
            told = report if agent.abilities.has_protocol else replace(report, question=run.question)
            if remark := remark_on(task, told, world.clock.now()):
                return remark
            if is_over(report, agent):
                return Over(EndedBy.TURN)
    raise AssertionError("a run is followed until somebody stops waiting for it")


def is_over(report: Report, agent: Agent) -> bool:
    """Whether a program that would stay has said that its turn is over."""
    return report.is_finished and (agent.mode is Mode.INTERACTIVE or agent.abilities.needs_sentinel)


async def next_sight(world: World, task: Task, agent: Agent, prompt_silence: float) -> e.TaskEvent | Over:
    """Waits until something is to be seen in how long the run has been silent: a prompt, or nothing for long.

    Nobody can answer a headless program that stands at a prompt, so it is over; patterns alone never end a run
    that still prints, and silence alone never ends any: it only means that nobody knows.
    """
    run = task.runs[-1]
    here = (task.number, run.id)
    while True:
        now, printed_at = world.clock.now(), _printed_at(world, task)
        quiet = now - printed_at
        if run.state is RunState.UNKNOWN and printed_at > run.silent_since:
            return e.RunWentOn(now, *here)
        if agent.abilities.has_protocol:
            watch_for = SILENT_AFTER
        elif run.question:
            if printed_at > run.waiting_since:
                return e.RunWentOn(now, *here)
            watch_for = prompt_silence
        else:
            watch_for = min(prompt_silence, SILENT_AFTER)
            if quiet >= prompt_silence and (prompt := prompt_in(end_of(_log(world, task)))):
                over = agent.mode is Mode.HEADLESS
                return Over(EndedBy.QUESTION, prompt) if over else e.RunWaited(now, *here, prompt)
        if run.state is RunState.WORKING and quiet >= SILENT_AFTER:
            return e.RunFellSilent(now, *here, printed_at)
        is_expected = run.question or run.state is RunState.UNKNOWN
        pause = min(watch_for, _LOOK_EVERY) if is_expected else watch_for
        await asyncio.sleep(watch_for - quiet if 0 <= quiet < watch_for else pause)


async def next_limit(world: World, task: Task, terms: Terms) -> Over:
    """Waits until the run has used up its time, or our patience with what it is up against."""
    while True:
        now = world.clock.now()
        limits = limits_of(task, terms)
        through = has_come_through(task.runs[-1], now, now - _printed_at(world, task))
        for moment, ended_by in limits:
            if moment <= now and not (ended_by is EndedBy.STALL and through):
                return Over(ended_by)
        ahead = [moment for moment, _ in limits if moment > now]
        await world.clock.sleep_until(min([*ahead, now + _LOOK_AGAIN] if through else ahead))


def _log(world: World, task: Task) -> Path:
    return world.run_directory(task.runs[-1].id) / "output.log"


def _printed_at(world: World, task: Task) -> float:
    log = _log(world, task)
    written = _written_at((log, log.with_name("signals.jsonl")))
    return written or task.runs[-1].started_at or world.clock.now()


async def final_report(world: World, task: Task, agent: Agent) -> Report:
    """All that the ended run has told."""
    async with aclosing(_reports(world, task, agent, is_over=True)) as reports:
        report = replace(await anext(reports), tells_end=agent.abilities.has_protocol)
        return with_own_share(report, task)


async def _reports(world: World, task: Task, agent: Agent, *, is_over: bool = False) -> AsyncGenerator[Report, None]:
    """The run's account of itself, whenever it has told something more; first, what it told so far."""
    directory = world.run_directory(task.runs[-1].id)
    sources = _sources(directory, agent)
    while True:
        # Begun anew with every source that turns up, so that one pass over all of them gives the report.
        report = Report()
        transcript = Transcript(directory / "readable.log") if agent.abilities.has_protocol else None
        found: Path | None = None
        async with aclosing(world.host.follow(sources)) as batches:
            async for lines in batches:
                at = _written_at(sources)
                signals = [signal for line in lines for signal in _read(agent, line, at)]
                for signal in signals:
                    report = heard(report, signal)
                if transcript:
                    transcript.add(signals)
                found = next((path for signal in signals if (path := _other(signal)) and path not in sources), None)
                if found:
                    break
                if not lines:
                    if transcript and is_over:
                        transcript.finish()
                    yield report
        if found:
            sources = (*sources, found)


def _sources(directory: Path, agent: Agent) -> tuple[Path, ...]:
    """What is on an interactive program's screen is for people; its hooks are for us."""
    own = directory / "signals.jsonl"
    has_more = agent.abilities.has_protocol or agent.abilities.tells_limits
    return (directory / "output.log", own) if has_more and agent.mode is Mode.HEADLESS else (own,)


def _other(signal: Signal) -> Path | None:
    if isinstance(signal, Elsewhere) and (path := Path(signal.path)).is_file():
        return path
    return None


def _written_at(sources: tuple[Path, ...]) -> float:
    return max((path.stat().st_mtime for path in sources if path.exists()), default=0.0)


def _read(agent: Agent, line: str, at: float) -> list[Signal]:
    return [Finished()] if line.strip() == SENTINEL else list(agent.read(line, at))


class Transcript:
    """A readable copy of what a run told, masked. It follows from the run's output alone, so it can be begun anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._there = path.stat().st_size if path.exists() else 0
        self._told = 0
        self._teller = Teller()
        self._masker = Masker()

    def add(self, signals: list[Signal]) -> None:
        self._write(self._masker.feed("".join(self._teller.tell(signal) for signal in signals)))

    def finish(self) -> None:
        """The run is over: what was held back, because it could have become a secret, is written too."""
        self._write(self._masker.finish())

    def _write(self, masked: str) -> None:
        text = masked.encode(errors="replace")
        new = text[max(0, self._there - self._told) :]
        self._told += len(text)
        # Only a copy for people: where it does not fit on the disk any more, the run goes on without it.
        with suppress(OSError):
            if new:
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
                with os.fdopen(os.open(self._path, flags, 0o600), "wb") as file:
                    file.write(new)
