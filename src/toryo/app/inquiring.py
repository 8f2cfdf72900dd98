"""One question to a model outside any session: every call on record, an outage waited for as long as somebody waits."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Protocol, TypeVar

from toryo.adapters.clock import SystemClock
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Place, ensure_store
from toryo.adapters.settings import Settings
from toryo.app.desk import ProjectDesk
from toryo.app.models import usable
from toryo.app.opening import terms_of
from toryo.app.pausing import run
from toryo.domain.calls import Call, CallRecord, Message, Speaker
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.engine.asking import Asked, Unanswered, inquire, when_to_ask_again
from toryo.ports import Surveyed
from toryo.rules.durations import say_duration
from toryo.rules.wording import fill

T = TypeVar("T")
TRIES = 6


class Ear(Protocol):
    """Somebody who waits for a reply."""

    def hear(self, question: str, piece: str) -> None: ...

    def note(self, text: str) -> None: ...


Listen = Callable[[str], AbstractContextManager[Ear]]
"""Begins to listen, having said what is being done."""


class Inquiry:
    """Asks the models of one repository; it takes no lease, and keeps nothing but a log of calls."""

    def __init__(self, place: Place, settings: Settings, listen: Listen, *, tries: int = TRIES) -> None:
        self.place, self.settings = place, settings
        self.calls: list[CallRecord] = []
        self._listen, self._tries = listen, tries
        self._ear: Ear | None = None
        self._desk = ProjectDesk(place, settings, Git(os.environ), self._hear)

    def prompt(self, name: str, /, **values: str) -> str:
        return fill(self._desk.prompt(name), **values)

    @cached_property
    def survey(self) -> Surveyed:
        return self._desk.survey()

    def ask(
        self, log: str, question: str, prompt: str, read: Callable[[str], T], *, role: str, about: str | None = None
    ) -> Asked[T]:
        """What the model replied, read; `log` names the log, `about` stands for what a survey of the files says."""
        model = usable(self.settings, role)
        ensure_store(self.place)
        name = f"{model.provider}/{model.model}".rstrip("/")
        with self._listen(f"asking {name}: {question} …") as self._ear:
            return run(self._ask(log, question, prompt, read, role, about))

    async def _ask(
        self, log: str, question: str, prompt: str, read: Callable[[str], T], role: str, about: str | None
    ) -> Asked[T]:
        known = about if about is not None else (await asyncio.to_thread(lambda: self.survey)).text
        system = self.prompt("system", repository=known or "(nothing is known about it)")
        call = Call(system, (Message(Speaker.USER, prompt),), self._desk.max_tokens)
        clock = SystemClock()
        since, outages = 0.0, 0
        try:
            while True:
                try:
                    asked = await inquire(self._desk, clock, log, question, call, read, role=role)
                except Unanswered as none:
                    self.calls += none.calls
                    since, outages = since or clock.now(), outages + 1
                    await clock.sleep_until(self._until(none, outages, since))
                    continue
                self.calls += asked.calls
                return asked
        finally:
            await self._desk.close()

    def _until(self, none: Unanswered, outages: int, since: float) -> float:
        """When to ask again; a person waits meanwhile, so no trouble is waited for longer than the briefest one."""
        failure, now = none.failure, time.time()
        run = self.settings.run
        terms = changed(terms_of(self.settings, 1), quota_wait=min(run.quota_wait, run.api_wait))
        until = when_to_ask_again(failure, outages - 1, since, now, terms) if outages < self._tries else 0.0
        words = f"the model does not answer ({failure.trouble}: {failure.message})"
        if not until:
            raise ToryoError("E516", words, hint="'toryo doctor' looks at it; else try later", exit_code=Exit.MISSING)
        if self._ear:
            self._ear.note(f"{words}, trying again in {say_duration(max(until - now, 0.1))}")
        return until

    def unusable(self, log: str, asked: Asked[T]) -> ToryoError:
        """What to say where no reply could be used."""
        words = f"the model gave no reply that can be used: {'; '.join(asked.errors)}"
        path = self.place.store / "calls" / f"{log}.jsonl"
        return ToryoError("E517", words, hint=f"its replies are in {path}; try again", exit_code=Exit.ERROR)

    def _hear(self, question: str, piece: str) -> None:
        if self._ear:
            self._ear.hear(question, piece)
