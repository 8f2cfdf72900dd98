"""The loop: ask the playbook what should be under way, keep exactly that under way, record what comes back."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.errors import Clash
from toryo.domain.moves import IllegalMove
from toryo.domain.session import Session
from toryo.ports import Clock, Journal
from toryo.rules.admit import admit
from toryo.rules.discretion import discreet
from toryo.rules.evolve import evolve
from toryo.rules.patience import wait_before_retry
from toryo.rules.playbook import meanwhile, next_effects
from toryo.views.summary import summary

log = logging.getLogger(__name__)

Perform = Callable[[Session, fx.Effect], Awaitable[e.Event]]
Watch = Callable[[Session, list[e.Event]], None]
Others = Callable[[], AsyncIterator[None]]
"""Tells whenever another process may have written to the journal."""
Report = tuple[fx.Effect | None, asyncio.Task[None] | None, e.Event]


class Conductor:
    """Conducts one session until nothing is under way and nothing is wanted."""

    def __init__(
        self, journal: Journal, clock: Clock, session: Session, perform: Perform, watch: Watch, others: Others
    ) -> None:
        self._journal, self._clock, self._perform, self._watch = journal, clock, perform, watch
        self._others = others
        self.session = session
        self._under_way: dict[fx.Effect, asyncio.Task[None]] = {}
        self._dropped: set[asyncio.Task[None]] = set()
        self._mark: int | None = None
        self._reports: asyncio.Queue[Report | None] = asyncio.Queue()

    async def conduct(self) -> Session:
        listening = asyncio.create_task(self._listen())
        try:
            while True:
                if self.session.queued_at is not None:  # also while we are at it: then its turn is now
                    await self._record([e.SessionTakenUp(self._clock.now())])
                wanted = next_effects(self.session)
                wanted |= meanwhile(self.session) if wanted else frozenset()
                for effect in self._under_way.keys() - wanted:
                    self._drop(effect)
                for effect in wanted - self._under_way.keys():
                    self._under_way[effect] = asyncio.create_task(self._carry_out(effect, self.session))
                if not self._under_way:
                    return self.session
                await self._record(await self._news())
        finally:
            self._dropped.add(listening)
            listening.cancel()
            await self._let_go()

    def say(self, event: e.Event) -> None:
        """A person, or a front end on their behalf, adds something to what happened."""
        self._reports.put_nowait((None, None, event))

    def _drop(self, effect: fx.Effect) -> None:
        """Superseded: stop waiting for it, but let it clean up behind itself."""
        task = self._under_way.pop(effect)
        task.cancel()
        self._dropped.add(task)
        task.add_done_callback(self._dropped.discard)

    # ── performing ───────────────────────────────────────────────────────────

    async def _carry_out(self, effect: fx.Effect, session: Session) -> None:
        try:
            await self._clock.sleep_until(getattr(effect, "not_before", 0.0))
            event = await self._perform(session, effect)
        except Exception as error:
            log.warning("%s failed", effect, exc_info=True)
            event = self._failure(effect, error)
        self._reports.put_nowait((effect, asyncio.current_task(), event))

    def _failure(self, effect: fx.Effect, error: Exception) -> e.Event:
        now = self._clock.now()
        task = getattr(effect, "task", None)
        failures = self.session.tasks[task].failures if task is not None else self.session.failures
        later = now + wait_before_retry(failures + 1, spread=hash(effect) % 100 / 100)
        message = str(error) or type(error).__name__
        return e.EffectFailed(now, type(effect).__name__, message, later, task)

    # ── recording ────────────────────────────────────────────────────────────

    async def _listen(self) -> None:
        async for _ in self._others():
            self._reports.put_nowait(None)

    async def _news(self) -> list[e.Event]:
        """What performers report, all that is there at once; empty when another process has written."""
        while True:
            tidings = [await self._reports.get()]
            while not self._reports.empty():
                tidings.append(self._reports.get_nowait())
            if reports := [report for report in tidings if report is not None]:
                return [event for effect, task, event in reports if effect is None or self._counts(effect, task)]
            if self._catch_up():  # else it was our own writing that was noticed
                return []

    def _counts(self, effect: fx.Effect, task: asyncio.Task[None] | None) -> bool:
        """What was dropped while it was being performed has nothing more to say, nor can it for its successor."""
        if self._under_way.get(effect) is not task:
            return False
        del self._under_way[effect]
        return True

    async def _record(self, events: list[e.Event]) -> None:
        """Appends what still means something now; if somebody else was faster, decides again on top of that."""
        events = [discreet(event) for event in events]
        while True:
            self._catch_up()
            session, recorded = _apply(self.session, events)
            if not recorded:
                return
            try:
                await asyncio.to_thread(self._journal.append, session.id, self.session.seq, recorded, summary(session))
            except Clash:
                continue
            self.session = session
            self._watch(session, recorded)
            return

    def _catch_up(self) -> bool:
        """Folds in what other processes appended; whether there was anything."""
        mark = self._journal.change_mark()
        if mark == self._mark:
            return False
        self._mark = mark
        events = [event for _, event in self._journal.read(self.session.id, self.session.seq)]
        for event in events:
            self.session = evolve(self.session, event)
        if events:
            self._watch(self.session, events)
        return bool(events)

    async def _let_go(self) -> None:
        """Stops waiting. Runs go on without us: their records tell the next conductor how they ended."""
        for effect in list(self._under_way):
            self._drop(effect)
        await asyncio.gather(*self._dropped, return_exceptions=True)


def _apply(session: Session, events: list[e.Event]) -> tuple[Session, list[e.Event]]:
    """The session with every event that is still admissible, and which those were."""
    recorded = []
    for event in events:
        try:
            if admit(session, event):
                session = evolve(session, event)
                recorded.append(event)
        except IllegalMove as illegal:
            log.warning("%s left out: %s", type(event).__name__, illegal)
    return session, recorded
