"""Spec Kit outside a session: one question to a model at a time, its answer a file of the specification."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from toryo.adapters.git.place import Place, cannot_write, ensure_store, find_place
from toryo.adapters.intake import Instruction
from toryo.adapters.replies import document_in, questions_in
from toryo.adapters.settings import Settings, load_settings
from toryo.adapters.specs import Spec as Spec
from toryo.adapters.specs import (
    every_spec,
    find_spec,
    new_spec,
    read_document,
    refuse_existing,
    refuse_leading_out,
    write_new,
    write_over,
)
from toryo.adapters.taskreplies import Workshop, draft_in
from toryo.app.inquiring import Inquiry, Listen
from toryo.domain.calls import CallRecord
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.planning import Answer, Document, Draft, Question
from toryo.engine.performers.planning import PLAN, REVIEW
from toryo.ports import Surveyed
from toryo.rules.clarifications import with_clarifications
from toryo.rules.clarity import unclear
from toryo.rules.masking import mask
from toryo.rules.planquality import structural_issues
from toryo.rules.wording import about_tests, documents_text
from toryo.views.tasklist import tasklist_text

T = TypeVar("T")


@fact
class SpecSight:
    """A specification as a list shows it."""

    spec: Spec
    title: str
    documents: frozenset[Document]
    """Those that are written."""


class Bench:
    """Where specifications are worked on; it takes no lease, and keeps nothing but files and a log of calls."""

    def __init__(self, place: Place, where: Path, settings: Settings, listen: Listen) -> None:
        self.place, self.settings = place, settings
        self._where = where
        self._inquiry = Inquiry(place, settings, listen)

    @property
    def calls(self) -> list[CallRecord]:
        return self._inquiry.calls

    def find(self, wanted: str | None) -> Spec:
        return find_spec(self.place.root, self._where, wanted)

    def prompt(self, name: str, /, **values: str) -> str:
        return self._inquiry.prompt(name, **values)

    @property
    def survey(self) -> Surveyed:
        return self._inquiry.survey

    def ask(self, spec: Spec, question: str, prompt: str, read: Callable[[str], T], *, role: str = PLAN) -> T:
        """What the model replied, read; every call is in the log under the specification's name."""
        asked = self._inquiry.ask(spec.name, question, prompt, read, role=role)
        if asked.value is None:
            raise self._inquiry.unusable(spec.name, asked)
        return asked.value

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


def known_specs(where: Path) -> list[SpecSight]:
    """All that are in the repository, the one that was changed last first."""
    found = []
    for spec in every_spec(find_place(where).root):
        there = frozenset(document for document in Document if spec.file(document).is_file())
        text = shown_document(spec, Document.SPEC)
        found.append(SpecSight(spec, title_of(text) or spec.name, there))
    return found


def shown_document(spec: Spec, document: Document) -> str:
    """For a person to read; empty where there is nothing."""
    with suppress(ToryoError):
        return read_document(spec, document).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return ""


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
    workshop = Workshop(lambda kind, _: (bench.settings.roles[kind], ""))
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
