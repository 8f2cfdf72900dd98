"""The loop keeps exactly what is wanted under way, and records what comes back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

import pytest
from tests.support.sessions import AT, SESSION, good_answer, opening, planned

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.errors import Clash
from toryo.domain.plan import PlannedTask
from toryo.domain.report import Report
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.engine.conductor import Conductor
from toryo.rules.evolve import fold
from toryo.rules.patience import ENOUGH, wait_before_retry

Answer = Callable[[Session, fx.Effect], Awaitable[e.Event]]


class MemoryJournal:
    """One stream in memory; `foreign` events are those of another process."""

    def __init__(self, events: Sequence[e.Event]) -> None:
        self.events = list(events)
        self.summaries: list[Mapping[str, object]] = []
        self.clashes = 0
        self._mark = 0
        self.before_append: list[e.Event] = []
        """Another process gets in with these, right before our next append."""

    def append(self, stream: str, after: int, events: Sequence[e.Event], summary: Mapping[str, object]) -> None:
        if self.before_append:
            self.foreign(*self.before_append)
            self.before_append = []
        if after != len(self.events):
            self.clashes += 1
            raise Clash(stream)
        self.events += events
        self.summaries.append(summary)

    def foreign(self, *events: e.Event) -> None:
        self.events += events
        self._mark += 1

    def read(self, stream: str, after: int = 0) -> list[tuple[int, e.Event]]:
        assert stream == SESSION
        return list(enumerate(self.events, 1))[after:]

    def change_mark(self) -> int:
        return self._mark


class PatientClock:
    """Waiting takes no time: the clock is simply moved on."""

    def __init__(self) -> None:
        self.moment = AT
        self.waited: list[float] = []

    def now(self) -> float:
        return self.moment

    async def sleep_until(self, moment: float) -> None:
        if moment > self.moment:
            self.waited.append(moment - self.moment)
            self.moment = moment
        await asyncio.sleep(0)


class Stage:
    """A conductor with everything around it that a test may want to look at."""

    def __init__(self, *tasks: PlannedTask | str, **terms: int) -> None:
        self.journal = MemoryJournal(opening(*tasks, **terms))
        self.clock = PatientClock()
        self.performed: list[fx.Effect] = []
        self.cancelled: list[fx.Effect] = []
        self.watched: list[e.Event] = []
        self.scripts: dict[type[fx.Effect], Answer] = {}
        self.conductor = self.new_conductor()

    def new_conductor(self) -> Conductor:
        session = fold(self.journal.events)
        assert session is not None
        return Conductor(self.journal, self.clock, session, self.perform, self.watch, self.others)

    async def others(self) -> AsyncIterator[None]:
        while True:
            yield
            await asyncio.sleep(0.01)

    async def perform(self, session: Session, effect: fx.Effect) -> e.Event:
        if isinstance(effect, fx.ForeseeCollisions):
            await asyncio.Event().wait()  # it only looks, and here is nothing to be seen
        self.performed.append(effect)
        try:
            script = self.scripts.get(type(effect))
            return await script(session, effect) if script else good_answer(session, effect)
        except asyncio.CancelledError:
            self.cancelled.append(effect)
            raise

    def watch(self, session: Session, events: list[e.Event]) -> None:
        self.watched += events
        assert session.seq <= len(self.journal.events), "told before it was durable"

    async def conduct(self) -> Session:
        async with asyncio.timeout(20):
            session = await self.conductor.conduct()
        assert fold(self.journal.events) == session
        return session

    def recorded(self, kind: type[e.Event]) -> list[e.Event]:
        return [event for event in self.journal.events if isinstance(event, kind)]

    def kinds(self) -> list[str]:
        return [type(effect).__name__ for effect in self.performed]


class Hanging:
    """A performer that waits until it is let go or cancelled, and tells when it has begun."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, session: Session, effect: fx.Effect) -> e.Event:
        self.begun.set()
        await self.go.wait()
        return good_answer(session, effect)


# ── all well ─────────────────────────────────────────────────────────────────


async def test_conducts_a_session_to_its_end() -> None:
    stage = Stage("A", planned("B", "A"), "C", parallel=2)
    session = await stage.conduct()
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert len(set(stage.performed)) == len(stage.performed), "nothing was done twice"
    assert stage.watched == stage.journal.events[3:]
    assert stage.journal.summaries[-1]["state"] == "closed"


@pytest.mark.covers("P25", "P47")
async def test_what_agents_said_and_what_went_wrong_is_recorded_masked() -> None:
    stage = Stage("A")
    secret = "ghp_" + "a1B2" * 9
    failures = [OSError(f"cannot push to https://me:{secret}@host")]

    async def talkative(session: Session, effect: fx.Effect) -> e.Event:
        if failures:
            raise failures.pop()
        exited = good_answer(session, effect)
        assert isinstance(exited, e.RunExited)
        return replace(exited, report=Report(last_words=f"I used {secret}"))

    stage.scripts[fx.AwaitRun] = talkative
    session = await stage.conduct()
    assert secret not in repr(stage.journal.events) + repr(session) + repr(stage.watched)
    report = session.tasks[1].runs[-1].report
    assert report is not None
    assert report.last_words == "I used [MASKED:GITHUB_TOKEN]"
    assert [event.message for event in stage.journal.events if isinstance(event, e.EffectFailed)]


@pytest.mark.covers("G20")
async def test_does_no_more_at_once_than_the_cap_allows() -> None:
    stage = Stage(*"ABCDEF", parallel=2)
    at_once, most = 0, 0

    async def working(session: Session, effect: fx.Effect) -> e.Event:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        for _ in range(5):
            await asyncio.sleep(0)
        at_once -= 1
        return good_answer(session, effect)

    stage.scripts[fx.AwaitRun] = working
    await stage.conduct()
    assert most == 2


async def test_a_session_at_rest_is_left_alone() -> None:
    stage = Stage("A")
    stage.journal.foreign(e.SessionPaused(AT, "x"))
    stage.conductor = stage.new_conductor()
    session = await stage.conduct()
    assert session.state is SessionState.PAUSED
    assert stage.performed == []


@pytest.mark.covers("G26")
async def test_a_new_conductor_asks_for_what_was_under_way() -> None:
    stage = Stage("A")
    hanging = Hanging()
    stage.scripts[fx.AwaitRun] = hanging
    first = asyncio.create_task(stage.conductor.conduct())
    await hanging.begun.wait()
    first.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await first
    assert [type(effect) for effect in stage.cancelled] == [fx.AwaitRun], "it stops waiting for the run"
    hanging.go.set()
    stage.conductor = stage.new_conductor()
    session = await stage.conduct()
    assert session.state is SessionState.CLOSED
    assert stage.performed.count(stage.cancelled[0]) == 2
    assert len(stage.recorded(e.RunPlanned)) == 1


# ── superseded ───────────────────────────────────────────────────────────────


async def test_what_is_no_longer_wanted_is_dropped() -> None:
    stage = Stage("A")
    hanging = Hanging()
    stage.scripts[fx.AwaitRun] = hanging

    async def pausing() -> None:
        await hanging.begun.wait()
        stage.conductor.say(e.SessionPaused(AT, "a person"))

    session, _ = await asyncio.gather(stage.conduct(), pausing())
    assert session.state is SessionState.PAUSED
    assert [type(effect) for effect in stage.cancelled] == [fx.AwaitRun]
    assert stage.kinds()[-1] == "StopRun"
    assert not stage.recorded(e.RunExited)
    assert session.task("A").state is TaskState.PLANNED


async def test_what_a_dropped_performer_still_says_is_not_heard() -> None:
    stage = Stage("A")
    begun = asyncio.Event()

    async def stubborn(session: Session, effect: fx.Effect) -> e.Event:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return good_answer(session, effect)
        raise AssertionError

    async def pausing() -> None:
        await begun.wait()
        stage.conductor.say(e.SessionPaused(AT, "a person"))

    stage.scripts[fx.ObserveWork] = stubborn
    session, _ = await asyncio.gather(stage.conduct(), pausing())
    assert session.state is SessionState.PAUSED
    assert not stage.recorded(e.WorkObserved)


async def test_what_came_too_late_is_not_recorded() -> None:
    """Two tasks claim the slots at once, and meanwhile another process took one of the slots away."""
    stage = Stage("A", "B", parallel=2)
    stage.journal.before_append = [e.ParallelChanged(AT, 1)]
    hanging = Hanging()
    stage.scripts[fx.AwaitRun] = hanging
    conducting = asyncio.create_task(stage.conduct())
    await hanging.begun.wait()
    assert [event.task for event in stage.recorded(e.RunPlanned) if isinstance(event, e.RunPlanned)] in (
        [1],
        [2],
    )
    hanging.go.set()
    assert (await conducting).outcome is Outcome.COMPLETE


# ── our machinery fails ──────────────────────────────────────────────────────


@pytest.mark.covers("P52")
async def test_a_failing_performer_is_tried_again_later() -> None:
    stage = Stage("A")
    left = 3

    async def failing(session: Session, effect: fx.Effect) -> e.Event:
        nonlocal left
        if left:
            left -= 1
            raise OSError("no disk")
        return good_answer(session, effect)

    stage.scripts[fx.PrepareWorkspace] = failing
    session = await stage.conduct()
    assert session.outcome is Outcome.COMPLETE
    failures = [event for event in stage.recorded(e.EffectFailed) if isinstance(event, e.EffectFailed)]
    assert [(event.effect, event.message, event.task) for event in failures] == [("PrepareWorkspace", "no disk", 1)] * 3
    assert len(stage.clock.waited) == 3
    for count, waited in enumerate(stage.clock.waited, 1):
        assert wait_before_retry(count) <= waited <= wait_before_retry(count, 1.0)
    assert session.task("A").attempts == 1, "the agent's work is not blamed"


async def test_a_performer_that_always_fails_blocks_its_task_and_nothing_else() -> None:
    stage = Stage("A", "B")

    async def failing(session: Session, effect: fx.Effect) -> e.Event:
        if getattr(effect, "task", None) == 1:
            raise RuntimeError
        return good_answer(session, effect)

    stage.scripts[fx.StartRun] = failing
    session = await stage.conduct()
    assert len(stage.recorded(e.EffectFailed)) == ENOUGH
    assert session.task("A").block_reason is BlockReason.SYSTEM_ERROR
    assert session.task("A").reason == "RuntimeError"
    assert session.task("B").state is TaskState.INTEGRATED
    assert session.waits_for_person


async def test_a_session_that_cannot_be_concluded_is_held() -> None:
    stage = Stage("A")

    async def failing(session: Session, effect: fx.Effect) -> e.Event:
        raise OSError("no disk")

    stage.scripts[fx.Conclude] = failing
    session = await stage.conduct()
    assert (session.state, session.pause_reason) == (SessionState.PAUSED, "no disk")
    assert stage.kinds().count("Conclude") == ENOUGH


# ── other processes ──────────────────────────────────────────────────────────


@pytest.mark.covers("A6")
async def test_a_clash_leads_to_reading_and_deciding_again() -> None:
    stage = Stage("A", "B")
    stage.journal.before_append = [e.ParallelChanged(AT, 7)]
    session = await stage.conduct()
    assert stage.journal.clashes == 1
    assert session.parallel == 7
    assert session.outcome is Outcome.COMPLETE
    assert stage.watched == stage.journal.events[3:], "what others wrote is shown too"


async def test_a_pause_by_another_process_stops_it() -> None:
    stage = Stage("A", "B", parallel=1)
    hanging = Hanging()
    stage.scripts[fx.AwaitRun] = hanging

    async def pausing() -> None:
        await hanging.begun.wait()
        stage.journal.foreign(e.SessionPaused(AT, "stopped by a person"))

    session, _ = await asyncio.gather(stage.conduct(), pausing())
    assert (session.state, session.pause_reason) == (SessionState.PAUSED, "stopped by a person")
    assert stage.kinds()[-1] == "StopRun"
    assert session.count(TaskState.PLANNED) == 2
    assert isinstance(stage.journal.events[-1], e.RunStopped)


async def test_a_pause_that_comes_between_wins_over_what_was_about_to_be_recorded() -> None:
    stage = Stage("A")
    stage.journal.before_append = [e.SessionPaused(AT, "stopped by a person")]
    session = await stage.conduct()
    assert session.state is SessionState.PAUSED
    assert not stage.recorded(e.RunPlanned)


async def test_what_a_person_says_is_recorded() -> None:
    stage = Stage("A")
    stage.conductor.say(e.ParallelChanged(AT, 9))
    assert (await stage.conduct()).parallel == 9
    assert stage.recorded(e.ParallelChanged)


async def test_what_makes_no_sense_is_left_out() -> None:
    stage = Stage("A")
    stage.conductor.say(e.PlanApproved(AT, "again"))
    stage.conductor.say(e.SessionResumed(AT))
    assert (await stage.conduct()).outcome is Outcome.COMPLETE
    assert len(stage.recorded(e.PlanApproved)) == 1
    assert not stage.recorded(e.SessionResumed)


async def test_a_journal_that_cannot_be_written_ends_it_and_lets_go_of_everything() -> None:
    stage = Stage("A", "B")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    stage.journal.append = full  # type: ignore[method-assign]
    with pytest.raises(OSError, match="No space left"):
        await stage.conductor.conduct()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not others


async def test_a_dropped_performer_has_cleaned_up_before_the_conductor_leaves() -> None:
    """A check ends its processes when it is cancelled; the end of the loop would cut that short."""
    stage = Stage("A")
    begun, cleaned_up = asyncio.Event(), asyncio.Event()

    async def checking(session: Session, effect: fx.Effect) -> e.Event:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            for _ in range(20):
                await asyncio.sleep(0)
            cleaned_up.set()
            raise
        raise AssertionError

    async def pausing() -> None:
        await begun.wait()
        stage.conductor.say(e.SessionPaused(AT, "a person"))

    stage.scripts[fx.ObserveWork] = checking
    await asyncio.gather(stage.conduct(), pausing())
    assert cleaned_up.is_set()


async def test_a_dropped_performer_cannot_speak_for_the_one_that_does_the_same_work_now() -> None:
    stage = Stage("A", "B")
    begun, again, speak, stopping = (asyncio.Event() for _ in range(4))

    async def observing(session: Session, effect: fx.Effect) -> e.Event:
        if begun.is_set():
            again.set()
            await speak.wait()
            await asyncio.sleep(0.01)
            return good_answer(session, effect)
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await speak.wait()
            raise OSError("cleaning up failed") from None
        raise AssertionError

    async def waiting(session: Session, effect: fx.Effect) -> e.Event:
        if getattr(effect, "task", None) == 2 and not again.is_set():
            await again.wait()
        return good_answer(session, effect)

    async def stopping_run(session: Session, effect: fx.Effect) -> e.Event:
        stopping.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def person() -> None:
        await begun.wait()
        stage.conductor.say(e.SessionPaused(AT, "a person"))
        await stopping.wait()
        stage.conductor.say(e.SessionResumed(AT))
        await again.wait()
        speak.set()

    stage.scripts |= {fx.ObserveWork: observing, fx.AwaitRun: waiting, fx.StopRun: stopping_run}
    session, _ = await asyncio.gather(stage.conduct(), person())
    assert session.outcome is Outcome.COMPLETE
    assert not stage.recorded(e.EffectFailed)


@pytest.mark.covers("G14")
async def test_what_waits_for_its_turn_is_taken_up_before_anything_is_done() -> None:
    stage = Stage("A")
    stage.journal.events.append(e.SessionQueued(AT))
    stage.conductor = stage.new_conductor()
    session = await stage.conduct()
    assert (session.queued_at, session.outcome) == (None, Outcome.COMPLETE)
    assert isinstance(stage.watched[0], e.SessionTakenUp)


@pytest.mark.covers("G14")
async def test_what_is_queued_while_it_is_conducted_is_taken_up_and_nothing_is_begun_anew() -> None:
    stage = Stage("A")
    hanging = Hanging()
    stage.scripts[fx.AwaitRun] = hanging
    conducting = asyncio.create_task(stage.conduct())
    await hanging.begun.wait()
    stage.journal.foreign(e.SessionQueued(AT))
    while not stage.recorded(e.SessionTakenUp):
        await asyncio.sleep(0.01)
    assert stage.cancelled == []
    hanging.go.set()
    session = await conducting
    assert (session.queued_at, session.outcome) == (None, Outcome.COMPLETE)
