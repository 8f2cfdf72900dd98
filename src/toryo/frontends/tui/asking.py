"""Asking a model from the screen: beside the keys, seen as the reply comes, stopped at any time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from textual.timer import Timer

from toryo.app.inquiring import Ear
from toryo.app.pausing import stoppable
from toryo.app.speccing import Bench, bench_at

if TYPE_CHECKING:
    from toryo.frontends.tui.app import ToryoApp

T = TypeVar("T")
_LOOK_EVERY = 0.15


class Asking:
    """One question at a time. `show` gets the reply so far, as often as an eye can follow."""

    def __init__(self, face: "ToryoApp", show: Callable[[str], object]) -> None:
        self._face, self._show = face, show
        self._stopping: threading.Event | None = None
        self._reply = self._heard = self._shown = ""

    @property
    def is_under_way(self) -> bool:
        return self._stopping is not None

    def begin(
        self,
        root: Path,
        act: Callable[[Bench], T],
        then: Callable[[T], object],
        ended: Callable[[], object],
    ) -> bool:
        """Whether it was begun: not while another is under way. `ended` is called whatever came of it."""
        if self._stopping is not None:
            self._face.tell("one question at a time: Esc stops waiting for this one")
            return False
        stopping = self._stopping = threading.Event()
        self._heard = self._shown = ""
        looking = self._face.set_interval(_LOOK_EVERY, self._look)

        def asking() -> list[T]:
            """Nothing where somebody stopped it."""
            try:
                with stoppable(stopping):
                    return [act(bench_at(root, self._listen))]
            except KeyboardInterrupt:
                return []
            finally:
                self._face.call_from_thread(self._over, looking, ended)

        self._face.carry_out(asking, lambda found: [then(each) for each in found])
        return True

    def stop(self) -> bool:
        """Whether there was something to stop."""
        if self._stopping is None:
            return False
        self._stopping.set()
        return True

    def _look(self) -> None:
        if self._heard != self._shown:
            self._shown = self._heard
            self._show(self._shown)

    def _over(self, looking: Timer, ended: Callable[[], object]) -> None:
        looking.stop()
        self._stopping = None
        ended()

    # ── in the thread that asks ──────────────────────────────────────────────

    @contextmanager
    def _listen(self, said: str) -> Iterator[Ear]:
        self._heard = said
        yield self

    def hear(self, question: str, piece: str) -> None:  # noqa: ARG002 - whoever asked knows what
        """An empty piece: it was just asked, perhaps once more, and nothing of it is heard yet."""
        if piece:
            self._reply += piece
            self._heard = self._reply
        else:
            self._reply = ""

    def note(self, text: str) -> None:
        self._face.call_from_thread(self._face.tell, text)
