"""One after the other: what was typed is carried out in a thread of its own, while the next is being typed."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue

from toryo.app.pausing import stoppable
from toryo.frontends.repl.dialogue import Leave


@dataclass(frozen=True, slots=True)
class Action:
    """Something to carry out."""

    name: str
    """As it was typed."""
    carry_out: Callable[[], object]
    has_waited: bool = False
    """Others were to be carried out before it, so that its answer does not stand right below it."""


Finish = Callable[[Action, BaseException | None], None]


class Answering:
    """The thread, and what can be asked of it from the one that reads keys."""

    def __init__(self, begin: Callable[[Action], None], finish: Finish) -> None:
        """Both are called in the thread, before and after each; `finish` with what ended it before its time."""
        self._begin, self._finish = begin, finish
        self._actions: SimpleQueue[Action] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._left, self._idle = asyncio.Event(), asyncio.Event()
        self._idle.set()
        self._guard = threading.Lock()
        self._count = 0
        self._stopped = threading.Event()
        self._skips: Callable[[str], bool] = lambda _: False
        self.current: Action | None = None
        threading.Thread(target=self._work, name="answering", daemon=True).start()

    def put(self, name: str, carry_out: Callable[[], object]) -> None:
        with self._guard:
            self._count += 1
            has_waited = self._count > 1
        self._idle.clear()
        self._actions.put(Action(name, carry_out, has_waited))

    def stop(self) -> bool:
        """Stops what is being carried out, as soon as it waits or says something; False: nothing is."""
        with self._guard:
            if self.current is not None:
                self._stopped.set()
            return self.current is not None

    def skip(self, is_skipped: Callable[[str], bool]) -> None:
        """Stops what is being carried out, and leaves out what waits, where that may be."""
        self._skips = is_skipped
        with self._guard:
            if self.current is not None and is_skipped(self.current.name):
                self._stopped.set()

    async def idle(self) -> None:
        await self._idle.wait()

    async def left(self) -> None:
        """Until somebody wants to go."""
        await self._left.wait()

    # ── in the thread ────────────────────────────────────────────────────────

    def _work(self) -> None:
        while True:
            action = self._actions.get()
            if not self._skips(action.name):
                self._begin(action)
                self._finish(action, self._ended(action))
            with self._guard:
                self._count -= 1
            self._tell(self._rest)

    def _ended(self, action: Action) -> BaseException | None:
        """What ended it before its time."""
        with self._guard:
            self._stopped = threading.Event()
            self.current = action
        try:
            with stoppable(self._stopped):
                action.carry_out()
        except Leave:
            self._tell(self._left.set)
        except BaseException as error:  # noqa: BLE001 - one command must not end the dialogue
            return error
        finally:
            with self._guard:
                self.current = None
        return None

    def _tell(self, do: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(do)

    def _rest(self) -> None:
        if not self._count:
            self._idle.set()
