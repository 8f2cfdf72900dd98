"""`toryo spec`: a specification, its plan and its tasks, file by file, outside any session."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toryo.domain.planning import Answer, Document, Question
from toryo.frontends.cli.talking import here, is_interactive, json_option, quiet_option, say, show, show_json
from toryo.views.rows import envelope, question_row

if TYPE_CHECKING:
    from toryo.app.speccing import Bench, Spec

_spec_argument = click.argument("wanted", metavar="[SPEC]", required=False)
_force_option = click.option("--force", is_flag=True, help="Write the file anew; the former one is kept aside.")


def _options(command: Callable[..., None]) -> Callable[..., None]:
    return json_option(quiet_option(command))


class _InOrder(click.Group):
    """One step after the other, not by the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return list(self.commands)


@click.group(cls=_InOrder, epilog="Example: toryo spec specify 'Add a --json flag to export', then toryo spec plan")
def command() -> None:
    """Write spec.md, plan.md and tasks.md in specs/SPEC-…/ with a model, one at a time.

    SPEC is an id, the beginning of one, or a folder; without it, the specification that was changed last.
    """


@command.command(epilog="Example: toryo spec specify '#42'")
@click.argument("words", nargs=-1, required=True, metavar="INSTRUCTION | FILE | - | #ISSUE | URL")
@_options
def specify(words: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Write the specification of what you want; prints where it is."""
    from toryo.app import speccing
    from toryo.app.planning import take_in

    instruction = take_in(" ".join(words), here())
    with _bench(quiet) as bench:
        spec = speccing.specify(bench, instruction)
    _show_file(bench, spec, Document.SPEC, as_json=as_json)
    _say_next(spec, "clarify", "plan", quiet=quiet)


@command.command(
    short_help="Ask what is unclear, and write the answers into spec.md.", epilog="Example: toryo spec clarify --yes"
)
@_spec_argument
@click.option("-y", "--yes", is_flag=True, help="Take the default of every question.")
@_options
def clarify(wanted: str | None, yes: bool, as_json: bool, quiet: bool) -> None:
    """Ask what is unclear in a specification, and write the answers into it.

    Where nobody is there to answer, the questions are printed, and nothing is written.
    """
    from toryo.app import speccing

    with _bench(quiet) as bench:
        spec = _find(bench, wanted, quiet=quiet)
        questions = speccing.questions_about(bench, spec)
    answers = _answers(questions, yes=yes, may_ask=not as_json)
    if answers:
        speccing.clarify(bench, spec, answers)
    _show_questions(bench, spec, questions, answers, as_json=as_json)


@command.command(epilog="Example: toryo spec plan SPEC-1a2b3c4d")
@_spec_argument
@_force_option
@_options
def plan(wanted: str | None, force: bool, as_json: bool, quiet: bool) -> None:
    """Write the technical plan for a specification."""
    from toryo.app import speccing

    with _bench(quiet) as bench:
        spec = _find(bench, wanted, quiet=quiet)
        kept = speccing.write_plan(bench, spec, force=force)
    _show_file(bench, spec, Document.PLAN, kept, as_json=as_json)
    _say_next(spec, "tasks", quiet=quiet)


@command.command(
    short_help="Split a plan into tasks.",
    epilog="Example: toryo spec tasks, then toryo run --tasks specs/SPEC-1a2b3c4d/tasks.md",
)
@_spec_argument
@_force_option
@_options
def tasks(wanted: str | None, force: bool, as_json: bool, quiet: bool) -> None:
    """Split a plan into tasks; 'toryo run --tasks FILE' carries them out."""
    from toryo.app import speccing

    with _bench(quiet) as bench:
        spec = _find(bench, wanted, quiet=quiet)
        draft, notes, kept = speccing.write_tasks(bench, spec, force=force)
    for note in notes:
        say(f"note: {note}")
    more = {"tasks": [task.key for task in draft.tasks], "notes": list(notes)}
    _show_file(bench, spec, Document.TASKS, kept, as_json=as_json, **more)
    if not quiet:
        listed = _shown(spec.file(Document.TASKS))
        say(f"next: toryo spec analyze {spec.name}, or toryo run --tasks {listed}")


@command.command(epilog="Example: toryo spec analyze > findings.md")
@_spec_argument
@_options
def analyze(wanted: str | None, as_json: bool, quiet: bool) -> None:
    """Look whether specification, plan and tasks agree; writes nothing."""
    from toryo.app import speccing

    with _bench(quiet) as bench:
        spec = _find(bench, wanted, quiet=quiet)
        text = speccing.analyze(bench, spec)
    if as_json:
        show_json(envelope("analysis", {**_row(bench, spec), "text": text}))
    else:
        show(text)


# ── what they share ──────────────────────────────────────────────────────────


@contextmanager
def _bench(quiet: bool) -> Iterator["Bench"]:
    """What was spent is said in the end, whatever came of it."""
    from toryo.app.speccing import bench_at
    from toryo.domain.report import Usage
    from toryo.frontends.cli.listening import listening, not_listening
    from toryo.views.planningwords import calls_words

    bench = bench_at(here(), not_listening if quiet else listening)
    try:
        yield bench
    finally:
        usage = sum((call.usage for call in bench.calls), Usage())
        spent = calls_words(len(bench.calls), usage, any(call.is_estimate for call in bench.calls))
        if spent and not quiet:
            say(spent)


def _find(bench: "Bench", wanted: str | None, *, quiet: bool) -> "Spec":
    spec = bench.find(wanted)
    if wanted is None and not quiet:
        say(f"the latest specification: {_shown(spec.folder)}")
    return spec


def _answers(questions: tuple[Question, ...], *, yes: bool, may_ask: bool) -> tuple[Answer, ...]:
    from toryo.app.planning import defaults
    from toryo.frontends.cli.questioning import ask_person

    if not questions:
        return ()
    if yes:
        return defaults(questions) or ()
    return ask_person(questions) if may_ask and is_interactive() else ()


def _show_questions(
    bench: "Bench", spec: "Spec", questions: tuple[Question, ...], answers: tuple[Answer, ...], *, as_json: bool
) -> None:
    from toryo.views.plan import question_lines

    if as_json:
        asked = [question_row(question) for question in questions]
        given = [{"question": answer.question, "answer": answer.text} for answer in answers]
        show_json(envelope("clarification", {**_row(bench, spec), "questions": asked, "answers": given}))
    elif answers:
        for answer in answers:
            say(f"{answer.question} → {answer.text}")
        show(_shown(spec.file(Document.SPEC)))
    elif questions:
        for line in question_lines(questions):
            show(line)
        say(f"nothing was written; toryo spec clarify --yes {spec.name} takes the defaults")
    else:
        say("nothing is unclear")


def _show_file(
    bench: "Bench", spec: "Spec", document: Document, kept: Path | None = None, *, as_json: bool, **more: Any
) -> None:
    if kept:
        say(f"the former {document}.md is kept as {_shown(kept)}")
    path = _shown(spec.file(document))
    if as_json:
        row = {**_row(bench, spec), "file": path, "kept": str(kept) if kept else None}
        show_json(envelope("spec", {**row, **more}))
    else:
        show(path)


def _row(bench: "Bench", spec: "Spec") -> dict[str, Any]:
    from toryo.domain.report import Usage
    from toryo.views.usage import usage_row

    usage = sum((call.usage for call in bench.calls), Usage())
    spent = {"calls": len(bench.calls), "usage": usage_row(usage)}
    return {"spec": spec.name, "folder": _shown(spec.folder), **spent}


def _say_next(spec: "Spec", *verbs: str, quiet: bool) -> None:
    if not quiet:
        say("next: " + ", or ".join(f"toryo spec {verb} {spec.name}" for verb in verbs))


def _shown(path: Path) -> str:
    """As it can be typed here."""
    return os.path.relpath(path, here())
