"""How soon the end of a run is noticed while a hundred others idle, and what the idling costs."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, ratio_of_medians
from benches.synthetic import answer, opening
from toryo.adapters.clock import SystemClock
from toryo.adapters.hosts.headless import HeadlessHost
from toryo.adapters.watching import changes
from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.session import Session
from toryo.engine.conductor import Conductor
from toryo.journal.sqlite import SqliteJournal
from toryo.ports import Launch
from toryo.rules.evolve import evolve, fold
from toryo.rules.playbook import next_effects
from toryo.views.summary import summary

IDLE, ENDS, LANES = 100, 200, 4
SECONDS = 10.0
LATENCY_LIMIT, IDLE_LIMIT = 50.0, 2.0
_ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def measure(rounds: int, folder: Path) -> Report:
    return asyncio.run(_measure(rounds, folder))


async def _measure(rounds: int, folder: Path) -> Report:
    host = HeadlessHost()
    sleepers = [folder / "idle" / str(number) for number in range(1, IDLE + 1)]
    conducting = asyncio.create_task(_conduct(host, sleepers, folder))
    try:
        for record in sleepers:
            await host.start(Launch(record, ("sleep", "86400"), folder, _ENV))
        await asyncio.sleep(1.0)  # until the last one has settled
        idle = [await _idle_share(conducting) for _ in range(rounds)]
        ends = await _ends(host, folder, rounds * ENDS)
    finally:
        conducting.cancel()
        await asyncio.gather(conducting, return_exceptions=True)
        await asyncio.gather(*(host.stop(record, 1.0) for record in sleepers))
    return _report(Figure("CPU of the idle conductor", tuple(idle), "% of one core"), *ends)


def _report(idle: Figure, floor: Figure, alone: Figure, noticed: Figure) -> Report:
    figures = (
        idle,
        floor,
        alone,
        noticed,
        Figure("ratio of medians, session to asyncio", (ratio_of_medians(noticed, floor),), "×"),
    )
    targets = (
        Target("noticing the end of a run, p99", noticed.p99, LATENCY_LIMIT, "ms"),
        Target(f"CPU while {IDLE} runs idle", max(idle.samples), IDLE_LIMIT, "% of one core"),
    )
    notes = (
        "from the moment `date`, the last act of the run, takes the time, to wait() having returned; "
        "so it includes the end of `date` itself and the wrapper's writing of the exit record",
        "as in a session: while a child lives that is no run, as git's object reader does in every conductor",
        "asyncio: the same command without wrapper or record, waited for with asyncio's own subprocess",
        "the idle conductor is the real loop: playbook, journal listening and waiting, in one process",
    )
    ends = len(noticed.samples)
    about = f"{IDLE} sleeping runs on the headless host; {ends} others end, in {LANES} lanes at once"
    return Report(about, figures, targets, notes)


# ── idling ───────────────────────────────────────────────────────────────────


async def _conduct(host: HeadlessHost, records: list[Path], folder: Path) -> None:
    """The conductor's own loop, waiting for every sleeper."""
    session, events = _session_at_work(len(records))
    journal = SqliteJournal(folder / "journal.db")
    journal.append(session.id, 0, events, summary(session))

    async def perform(state: Session, effect: fx.Effect) -> e.Event:
        assert isinstance(effect, fx.AwaitRun)
        while not (records[effect.task - 1] / "pid").exists():
            await asyncio.sleep(0.05)
        await host.wait(records[effect.task - 1])
        return answer(state, effect)

    try:
        await Conductor(
            journal, SystemClock(), session, perform, lambda *_: None, lambda: changes(journal.files)
        ).conduct()
    finally:
        journal.close()


def _session_at_work(tasks: int) -> tuple[Session, list[e.Event]]:
    """A session whose every task has a run at work."""
    events = [*opening(tasks), e.ParallelChanged(time.time(), tasks)]
    session = fold(events)
    assert session is not None
    while waiting := [effect for effect in next_effects(session) if not isinstance(effect, fx.AwaitRun)]:
        for effect in waiting:
            event = answer(session, effect)
            session = evolve(session, event)
            events.append(event)
    return session, events


async def _idle_share(conducting: asyncio.Task[None]) -> float:
    cpu, begun = time.process_time(), time.perf_counter()
    await asyncio.sleep(SECONDS)
    if conducting.done():
        raise RuntimeError("the conductor ended while it should have idled") from conducting.exception()
    return (time.process_time() - cpu) / (time.perf_counter() - begun) * 100


# ── ending ───────────────────────────────────────────────────────────────────


async def _ends(host: HeadlessHost, folder: Path, count: int) -> tuple[Figure, Figure, Figure]:
    """A few at once, in turns: by asyncio, by the host alone, by the host beside a child of another kind."""
    taken: list[list[float]] = [[], [], []]
    for first in range(0, count, LANES):
        block = range(first, first + LANES)
        taken[0] += await asyncio.gather(*(_end_of_plain(number) for number in block))
        taken[1] += await asyncio.gather(*(_end_of_run(host, folder, f"alone-{number}") for number in block))
        async with _companion():
            taken[2] += await asyncio.gather(*(_end_of_run(host, folder, f"with-{number}") for number in block))
    names = (
        "noticed by asyncio",
        "noticed by the host, no other child",
        "noticed by the host, as in a session",
    )
    plain, alone, noticed = (Figure(name, tuple(times)) for name, times in zip(names, taken, strict=True))
    return plain, alone, noticed


@asynccontextmanager
async def _companion() -> AsyncIterator[None]:
    """A conductor always has a child that is no run: the git it looks objects up with."""
    process = await asyncio.create_subprocess_exec("sleep", "86400", env=_ENV)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def _end_of_run(host: HeadlessHost, folder: Path, name: str) -> float:
    record = folder / "ending" / name
    await host.start(Launch(record, _command(int(name.rpartition("-")[2])), folder, _ENV))
    ended = await host.wait(record)
    now = time.time_ns()
    if ended is None or ended.code != 0:
        raise RuntimeError(f"the run in {record} ended as {ended}")
    return _since((record / "output.log").read_bytes(), now)


async def _end_of_plain(number: int) -> float:
    process = await asyncio.create_subprocess_exec(
        *_command(number), env=_ENV, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    await process.wait()
    now = time.time_ns()
    assert process.stdout is not None
    return _since(await process.stdout.read(), now)


def _command(number: int) -> tuple[str, ...]:
    """Sleeps long enough for the waiting to have begun, then becomes `date`: nothing runs after it."""
    return ("/bin/sh", "-c", f"sleep 0.{150 + number * 7 % 100}; exec date +%s%N")


def _since(stamp: bytes, now: int) -> float:
    return (now - int(stamp)) / 1e6


BENCH = Bench(1, measure)
