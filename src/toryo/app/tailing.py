"""What goes on, line by line while it goes on: a session's events, and what an agent prints."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from toryo.app.configuration import settings_of
from toryo.app.crew import agent_as_started
from toryo.app.leasing import attendant, conducting
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.events import Event
from toryo.domain.run import Mode, Run
from toryo.domain.session import Session, SessionState
from toryo.domain.task import LIVE, Task
from toryo.journal.codec import encode
from toryo.ports import Agent
from toryo.rules.evolve import evolve
from toryo.rules.masking import Masker
from toryo.rules.prompting import without_escapes
from toryo.views.moments import clock_time
from toryo.views.records.plain import masked
from toryo.views.signals import Teller
from toryo.views.visibility import is_in_summary
from toryo.views.words import event_words

LOOK_EVERY = 0.1
_CHUNK = 1 << 20
_STARTING = 10.0
"""Seconds that a conductor in the background may take to start."""


Note = Callable[[str], None]
"""Gets what a person should know that is no part of what was asked for."""


def event_lines(
    project: Project, session: Session, task: Task | None, *, follow: bool, is_full: bool, as_json: bool
) -> Iterator[str]:
    """As they are read: a long journal is not gathered first."""
    state: Session | None = None
    for seq, event in _events(project, session.id, follow):
        is_wanted = task is None or getattr(event, "task", None) == task.number
        if as_json:
            if is_wanted:
                fields = masked(json.loads(encode(event)))  # text by text: a mask must not eat the JSON around it
                yield json.dumps({"toryo": 1, "seq": seq, "kind": type(event).__name__, **fields}, ensure_ascii=False)
            continue
        state = evolve(state, event)
        if is_wanted and (is_full or is_in_summary(event)):
            yield f"{clock_time(event.at)} {event_words(state, event)}"


def _events(project: Project, session_id: str, follow: bool) -> Iterator[tuple[int, Event]]:
    last = 0
    while True:
        mark = project.journal.change_mark()
        for seq, event in project.journal.read(session_id, last):
            last = seq
            yield seq, event
        if not follow or _rests(project, session_id):
            yield from project.journal.read(session_id, last)
            return
        while project.journal.change_mark() == mark and not _rests(project, session_id):
            pause(LOOK_EVERY)


def _rests(project: Project, session_id: str) -> bool:
    """Nothing more will come: it is closed, or nobody conducts it and nobody will when its turn comes."""
    row = next(row for row in project.summaries() if row["id"] == session_id)
    if row["state"] == SessionState.CLOSED:
        return True
    if row["queued_at"] is not None:
        # Who is to take it up may only be starting.
        return attendant(project) is None and time.time() - row["queued_at"] > _STARTING
    held = conducting(project)  # only now: whoever takes it up says so before
    return held is None or held.purpose not in ("", session_id)


def output_lines(
    project: Project,
    session: Session,
    task: Task,
    run: Run | None,
    note: Note,
    *,
    follow: bool,
    raw: bool,
    as_json: bool,
) -> Iterator[str]:
    """What an agent printed, in words where it speaks a protocol."""
    if run is None and follow:
        run = _first_run(project, session, task, note)
    run = run or task.run
    if run is None:
        raise ToryoError("E207", f"{task.plan.key} has not run yet", hint="--follow waits for it")
    record = project.place.store / "runs" / run.id
    agent = None if raw else agent_as_started(settings_of(project), run.agent, record)
    has_protocol = agent is not None and agent.abilities.has_protocol
    is_interactive = agent is not None and agent.mode is Mode.INTERACTIVE
    log = record / "output.log"
    if has_protocol and is_interactive and (record / "signals.jsonl").exists():
        log = record / "signals.jsonl"

    def has_ended() -> bool:
        return (record / "exit").exists() or project.conductor_pid is None

    lines = _lines(log, has_ended if follow else lambda: True)
    said = _in_words(agent, lines) if agent and has_protocol else map(without_escapes, lines)
    is_silent = True
    for line in _masked(said):
        is_silent = False
        yield json.dumps({"toryo": 1, "run": run.id, "line": line}, ensure_ascii=False) if as_json else line
    if is_silent and not as_json:
        key = task.plan.key
        note(f"{key}'s agent printed nothing; what happened to {key}: toryo logs {key} --events")


def _masked(lines: Iterable[str]) -> Iterator[str]:
    """A secret may go over several lines; what may still become one is held back."""
    masker, rest = Masker(), ""
    for line in lines:
        *whole, rest = (rest + masker.feed(line + "\n")).split("\n")
        yield from whole
    *whole, rest = (rest + masker.finish()).split("\n")
    yield from whole
    if rest:
        yield rest


def _in_words(agent: Agent, lines: Iterable[str]) -> Iterator[str]:
    teller, rest = Teller(), ""
    for line in lines:
        rest += "".join(teller.tell(signal) for signal in agent.read(line, time.time()))
        *whole, rest = rest.split("\n")
        yield from whole
    if rest:
        yield rest


def _first_run(project: Project, session: Session, task: Task, note: Note) -> Run | None:
    while not task.runs or (task.state in LIVE and task.run and task.run.started_at is None):
        if _rests(project, session.id):
            break
        if not task.runs:
            note(f"waiting for {task.plan.key} to start")
        mark = project.journal.change_mark()
        while project.journal.change_mark() == mark and not _rests(project, session.id):
            pause(LOOK_EVERY)
        task = project.load(session.id).tasks[task.number]
    return task.run


def _lines(log: Path, is_over: Callable[[], Any]) -> Iterator[str]:
    """Whole lines of a file that may still grow."""
    rest = b""
    with ExitStack() as stack:
        file = None
        while True:
            over = is_over()
            if file is None and log.exists():
                # Kept open: when the run ends, its log is replaced by its masked form.
                file = stack.enter_context(log.open("rb"))
            while chunk := file.read(_CHUNK) if file else b"":
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    yield line.decode(errors="replace").removesuffix("\r")
            if over:
                if rest:
                    yield rest.decode(errors="replace")
                return
            pause(LOOK_EVERY)
