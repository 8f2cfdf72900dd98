"""Watching a repository: files and sessions wake whoever tends the intents, and nothing is looked at over and over."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, aclosing, contextmanager, suppress
from pathlib import Path

from toryo.adapters.watching import ANY, SAFETY_NET, changes
from toryo.app.following import Follower, Heard, News
from toryo.app.leasing import attendant, conducting, turnstile_of
from toryo.app.pausing import stoppable
from toryo.app.project import Project
from toryo.app.surroundings import sight_of, surrounding_files, surroundings_of
from toryo.app.tending import Tended, Tending
from toryo.app.tidings import Tiding
from toryo.app.watchers import LEAVE, pause_what_goes_on, watching_alone
from toryo.domain.intent import IntentStatus
from toryo.domain.session import short_of

Tell = Callable[[Tiding], None]
Hear = Callable[[News], None]
_AT_MOST_EVERY = 0.05
_ONCE_IN_A_WHILE = 600.0
"""Seconds after which everything is looked at though nothing has changed: some limits are limits of time."""


def watch(project: Project, tell: Tell, hear: Hear, begun: Callable[[], None], *, once: bool) -> Tended | None:
    """Tends until told to end, or with `once` until nothing is left to do; None: it was told to end.

    Told to end, it pauses what goes on for an intent; told to leave, not even that. Raises ToryoError, before it has
    `begun`, where somebody else watches.
    """
    with watching_alone(project):
        begun()
        watching = _Watching(project, tell, hear, once=once)
        asyncio.run(watching.go())
        if watching.told is None:
            return watching.tended
        if watching.told is not LEAVE:
            for session_id in pause_what_goes_on(project):
                tell(
                    Tiding(
                        "paused",
                        f"session {short_of(session_id)} is paused; the next watch goes on",
                        session=session_id,
                    )
                )
        return None


class _Watching:
    def __init__(self, project: Project, tell: Tell, hear: Hear, *, once: bool) -> None:
        self._project, self._tell, self._hear, self._once = project, tell, hear, once
        self._tending, self._follower = Tending(project), Follower(project.place)
        self._wake = asyncio.Event()
        self._idle: str | None = None
        self.tended: Tended | None = None
        self.told: signal.Signals | None = None
        self._ending = threading.Event()

    async def go(self) -> None:
        with self._signals():
            listening = [asyncio.create_task(work) for work in (self._notice(), self._follow())]
            try:
                await self._tend()
            finally:
                for task in listening:
                    task.cancel()
                await asyncio.gather(*listening, return_exceptions=True)

    async def _tend(self) -> None:
        last: object = None
        while self.told is None:
            self._wake.clear()
            now = await asyncio.to_thread(self._sight)
            if now != last:
                await self._catch_up()  # what led to it is told before what comes of it
                self.tended = await asyncio.to_thread(self._look_after)
                if self.tended is None:
                    return
                for tiding in self.tended.tidings:
                    self._tell(tiding)
                last = None if self.tended.has_acted else now
                if self._is_through(self.tended):
                    await self._catch_up()
                    return
                await asyncio.sleep(_AT_MOST_EVERY)
            if last is not None:
                await self._wait()

    def _look_after(self) -> Tended | None:
        """None: told to end while it waited for something, such as a model that reflects."""
        try:
            with stoppable(self._ending):
                return self._tending.tend()
        except KeyboardInterrupt:
            return None

    def _is_through(self, tended: Tended) -> bool:
        is_left = self._once and tended.is_deserted
        if tended.has_acted or (tended.seen.is_busy and not is_left):
            self._idle = None
            return False
        if self._once:
            return True
        waiting = sum(case.intent.status.is_open for case in tended.seen.cases)
        who = f"{waiting} waits" if waiting == 1 else f"{waiting} wait"
        says = f"nothing to do; {who} for you: toryo inbox" if waiting else "nothing to do"
        if says != self._idle:
            self._idle = says
            self._tell(Tiding("idle", says))
        return False

    async def _wait(self) -> None:
        """Until something happens; whoever conducts and dies writes nothing, so the kernel is asked to tell."""
        at = self.tended.look_again_at if self.tended else None
        patience = SAFETY_NET if at is None else min(SAFETY_NET, max(_AT_MOST_EVERY, at - time.time()))
        held = conducting(self._project)
        pids = {held.pid if held else None, attendant(self._project), self._tending.starting} - {None}
        with ExitStack() as told:
            for pid in pids:
                told.enter_context(_told_of_end(pid or 0, self._wake))
            with suppress(TimeoutError):
                async with asyncio.timeout(patience):
                    await self._wake.wait()

    # ── what wakes it ────────────────────────────────────────────────────────

    async def _notice(self) -> None:
        files = [*self._folders(), *surrounding_files(self._project), turnstile_of(self._project)]
        async with aclosing(changes(files)) as noticed:
            async for _ in noticed:
                self._wake.set()

    async def _follow(self) -> None:
        async with aclosing(self._follower.follow()) as followed:
            async for heard in followed:
                self._tell_news(heard)
                self._wake.set()

    async def _catch_up(self) -> None:
        self._tell_news(await self._follower.catch_up())

    def _tell_news(self, heard: Heard) -> None:
        for news in heard.news:
            self._hear(news)

    def _folders(self) -> list[Path]:
        own = self._project.place.root / ".toryo"
        return [own / "intents" / ANY, own / "drafts" / ANY]

    def _sight(self) -> object:
        """Equal as long as a pass would find nothing new."""
        files = [_entries(path.parent) for path in self._folders()]
        people = (conducting(self._project), attendant(self._project), self._tending.starting)
        at = self.tended.look_again_at if self.tended else None
        is_due = at is not None and time.time() >= at
        slow = time.time() // _ONCE_IN_A_WHILE
        return files, self._project.journal.change_mark(), people, surroundings_of(self._project), is_due, slow

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def told(by: signal.Signals) -> None:
            if self.told is not None:
                os._exit(130)  # twice: whatever goes on goes on by itself
            self.told = by
            self._ending.set()
            self._wake.set()

        heeded = [signal.SIGINT, signal.SIGTERM, LEAVE]
        heeded += [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN else []
        for by in heeded:
            loop.add_signal_handler(by, told, by)
        try:
            yield
        finally:
            for by in heeded:
                loop.remove_signal_handler(by)


def _entries(folder: Path) -> object:
    with suppress(OSError), os.scandir(folder) as found:
        return sorted((entry.name, sight_of(Path(entry.path))) for entry in found if not entry.name.startswith("."))
    return []


@contextmanager
def _told_of_end(pid: int, wake: asyncio.Event) -> Iterator[None]:
    """Where the kernel can tell; elsewhere one looks again after a while."""
    loop = asyncio.get_running_loop()
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):
        yield
        return
    loop.add_reader(descriptor, wake.set)
    try:
        yield
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def is_waiting(tended: Tended) -> bool:
    """Something is left that is for people to decide, or that could not begin."""
    return bool(tended.seen.broken) or any(case.intent.status.is_open for case in tended.seen.cases)


def has_failed(tended: Tended) -> bool:
    return any(case.intent.status is IntentStatus.ERROR for case in tended.seen.cases)
