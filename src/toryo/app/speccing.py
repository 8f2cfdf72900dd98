"""Spec Kit outside a session: one question to a model at a time, its answer a file of the specification."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

from toryo.adapters.clock import SystemClock
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Place, cannot_write, ensure_store, find_place
from toryo.adapters.intake import Instruction
from toryo.adapters.replies import document_in, questions_in
from toryo.adapters.settings import Settings, load_settings
from toryo.adapters.specs import Spec as Spec
from toryo.adapters.specs import (
    find_spec,
    new_spec,
    read_document,
    refuse_existing,
    refuse_leading_out,
    write_new,
    write_over,
)
from toryo.adapters.taskreplies import Workshop, draft_in
from toryo.app.desk import ProjectDesk
from toryo.app.models import usable
from toryo.app.opening import terms_of
from toryo.app.pausing import run
from toryo.domain.calls import Call, CallRecord, Message, Speaker
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.planning import Answer, Document, Draft, Question
from toryo.engine.asking import Asked, Unanswered, inquire, when_to_ask_again
from toryo.engine.performers.planning import PLAN, REVIEW
from toryo.ports import Surveyed
from toryo.rules.clarifications import with_clarifications
from toryo.rules.clarity import unclear
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.rules.planquality import structural_issues
from toryo.rules.wording import about_tests, documents_text, fill
from toryo.views.tasklist import tasklist_text

T = TypeVar("T")
_TRIES = 6


class Ear(Protocol):
    """Somebody who waits for a reply."""

    def hear(self, question: str, piece: str) -> None: ...

    def note(self, text: str) -> None: ...


Listen = Callable[[str], AbstractContextManager[Ear]]
"""Begins to listen, having said what is being done."""


class Bench:
    """Where specifications are worked on; it takes no lease, and keeps nothing but files and a log of calls."""

    def __init__(self, place: Place, where: Path, settings: Settings, listen: Listen) -> None:
        self.place, self.settings = place, settings
        self.calls: list[CallRecord] = []
        self._where, self._listen = where, listen
        self._ear: Ear | None = None
        self._desk = ProjectDesk(place, settings, Git(os.environ), self._hear)

    def find(self, wanted: str | None) -> Spec:
        return find_spec(self.place.root, self._where, wanted)

    def prompt(self, name: str, **values: str) -> str:
        return fill(self._desk.prompt(name), **values)

    @cached_property
    def survey(self) -> Surveyed:
        return self._desk.survey()

    def ask(self, spec: Spec, question: str, prompt: str, read: Callable[[str], T], *, role: str = PLAN) -> T:
        """What the model replied, read; every call is in the log under the specification's name."""
        model = usable(self.settings, role)
        ensure_store(self.place)
        name = f"{model.provider}/{model.model}".rstrip("/")
        with self._listen(f"asking {name}: {question} …") as self._ear:
            asked = run(self._ask(spec, question, prompt, read, role))
        if asked.value is None:
            log = self.place.store / "calls" / f"{spec.name}.jsonl"
            words = f"the model gave no reply that can be used: {'; '.join(asked.errors)}"
            raise ToryoError("E517", words, hint=f"its replies are in {log}; try again", exit_code=Exit.ERROR)
        return asked.value

    async def _ask(self, spec: Spec, question: str, prompt: str, read: Callable[[str], T], role: str) -> Asked[T]:
        survey = await asyncio.to_thread(lambda: self.survey)
        system = self.prompt("system", repository=survey.text or "(nothing is known about it)")
        call = Call(system, (Message(Speaker.USER, prompt),), self._desk.max_tokens)
        clock = SystemClock()
        since, outages = 0.0, 0
        try:
            while True:
                try:
                    asked = await inquire(self._desk, clock, spec.name, question, call, read, role=role)
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
        until = when_to_ask_again(failure, outages - 1, since, now, terms) if outages < _TRIES else 0.0
        words = f"the model does not answer ({failure.trouble}: {failure.message})"
        if not until:
            raise ToryoError("E516", words, hint="'toryo doctor' looks at it; else try later", exit_code=Exit.MISSING)
        if self._ear:
            self._ear.note(f"{words}, trying again in {say_duration(max(until - now, 0.1))}")
        return until

    def _hear(self, question: str, piece: str) -> None:
        if self._ear:
            self._ear.hear(question, piece)

    # ── files ────────────────────────────────────────────────────────────────

    def text(self, spec: Spec, document: Document) -> str:
        """A file of the specification as a model gets to read it."""
        return mask(read_document(spec, document).encode("utf-8", "surrogateescape").decode("utf-8", "replace"))

    def refuse_existing(self, spec: Spec, document: Document, *, force: bool) -> None:
        refuse_leading_out(self.place.root, spec.file(document))
        if not force:
            refuse_existing(spec.file(document))

    def write(self, spec: Spec, document: Document, text: str, *, force: bool = False) -> Path | None:
        """Where the former text is kept, if there was one."""
        path, aside = spec.file(document), self.place.store / "kept" / spec.name
        refuse_leading_out(self.place.root, path)
        try:
            ensure_store(self.place)
            if force:
                return write_over(path, text, aside)
            write_new(path, text, aside)
        except OSError as error:
            raise cannot_write(path.parent, error) from error
        return None


def bench_at(where: Path, listen: Listen) -> Bench:
    place = find_place(where)
    return Bench(place, where, load_settings(place.root, os.environ, {}), listen)


# ── the verbs ────────────────────────────────────────────────────────────────


def specify(bench: Bench, instruction: Instruction) -> Spec:
    if question := unclear(instruction.text):
        raise ToryoError("E130", "the instruction names nothing to work on", hint=question.text)
    spec = new_spec(bench.place.root)
    bench.refuse_existing(spec, Document.SPEC, force=False)
    prompt = bench.prompt("specify", instruction=instruction.text, answers="(nothing was asked)")
    bench.write(spec, Document.SPEC, bench.ask(spec, "specify", prompt, document_in))
    return spec


def questions_about(bench: Bench, spec: Spec) -> tuple[Question, ...]:
    prompt = bench.prompt("questions", instruction=bench.text(spec, Document.SPEC))
    return bench.ask(spec, "questions", prompt, questions_in).questions


def clarify(bench: Bench, spec: Spec, answers: tuple[Answer, ...]) -> None:
    """Adds the answers to the file as it is now; the rest of it stays as it is."""
    text = with_clarifications(read_document(spec, Document.SPEC), time.strftime("%Y-%m-%d"), answers)
    bench.write(spec, Document.SPEC, text, force=True)


def write_plan(bench: Bench, spec: Spec, *, force: bool) -> Path | None:
    about = documents_text({"spec.md": bench.text(spec, Document.SPEC)})
    bench.refuse_existing(spec, Document.PLAN, force=force)
    text = bench.ask(spec, "plan", f"{about}\n{bench.prompt('plan')}", document_in)
    return bench.write(spec, Document.PLAN, text, force=force)


def write_tasks(bench: Bench, spec: Spec, *, force: bool) -> tuple[Draft, tuple[str, ...], Path | None]:
    """The tasks, what is wrong with them as far as that shows, and where the former file is kept."""
    texts = {f"{kind}.md": bench.text(spec, kind) for kind in (Document.SPEC, Document.PLAN)}
    bench.refuse_existing(spec, Document.TASKS, force=force)
    workshop = Workshop(bench.settings.roles)
    checks = bench.survey.checks

    def read(text: str) -> Draft:
        workshop.remarks.clear()
        return draft_in(text, workshop)

    prompt = documents_text(texts) + "\n" + bench.prompt("tasks", tests=about_tests(checks))
    draft = bench.ask(spec, "tasks", prompt, read)
    title = title_of(texts["spec.md"]) or spec.name
    kept = bench.write(spec, Document.TASKS, tasklist_text(title, draft.tasks), force=force)
    return draft, (*draft.remarks, *structural_issues(draft, has_checks=bool(checks))), kept


def analyze(bench: Bench, spec: Spec) -> str:
    texts = {str(kind): bench.text(spec, kind) for kind in Document}
    return bench.ask(spec, "analyze", bench.prompt("analyze", **texts), str.strip, role=REVIEW)


def title_of(text: str) -> str:
    """The first heading of a document."""
    found = (line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#"))
    return next((title for title in found if title), "")
