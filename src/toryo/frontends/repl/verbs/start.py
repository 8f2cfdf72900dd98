"""`/start`: begin with an instruction, or go on with what was stopped."""

from typing import Any

from toryo.app.leasing import attendant, conducted_now, conducting
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.session import SessionState, short_of
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.meaning import here
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.run import begin, instruction_in
from toryo.views.queueing import queue_of, unattended
from toryo.views.rows import is_unfinished


def start(dialogue: Dialogue, typed: Typed) -> int:
    if typed.rest:
        return begin(dialogue, "run", *instruction_in(dialogue, "run", typed.rest))
    return dialogue.line.invoke("resume", ["--", _stopped(here())])


def _stopped(project: Project) -> str:
    """The id of the latest session that could go on and does not; raises where there is none."""
    unfinished = [row for row in project.summaries() if is_unfinished(row)]
    alone = unattended(unfinished, conducted_now(conducting(project)))
    if attendant(project) is None:
        alone += queue_of(unfinished)
    for row in unfinished:
        is_stopped = row["state"] == SessionState.PAUSED and row["waits_for"] not in ("answers", "approval")
        if is_stopped or row["id"] in alone:
            return str(row["id"])
    raise _nothing_to_start(unfinished)


def _nothing_to_start(unfinished: list[dict[str, Any]]) -> ToryoError:
    if not unfinished:
        return ToryoError("E162", "nothing was stopped here", hint="say what you want: plain text, or /start TEXT")
    row = unfinished[0]
    short = short_of(row["id"])
    match row["waits_for"]:
        case "answers":
            return ToryoError(
                "E162", f"session {short} waits for your answers", hint=f"/respond {short} shows what it asks"
            )
        case "approval":
            return ToryoError("E162", f"session {short} waits for your approval", hint=f"/approve {short}")
    return ToryoError("E162", f"session {short} is under way already", hint="/status shows how it stands")
