"""`/start`: begin with an instruction, or go on with what was stopped."""

from typing import Any

from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.meaning import here
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.run import begin, instruction_in
from toryo.views.rows import is_unfinished


def start(dialogue: Dialogue, typed: Typed) -> int:
    if typed.rest:
        return begin(dialogue, "run", *instruction_in(dialogue, "run", typed.rest))
    return dialogue.line.invoke("resume", ["--", _stopped(here())])


def _stopped(project: Project) -> str:
    """The id of the latest session that could go on and does not; raises where there is none."""
    unfinished = [row for row in project.summaries() if is_unfinished(row)]
    is_conducting = project.conductor_pid is not None
    for row in unfinished:
        if row["waits_for"] not in ("answers", "approval") and not (is_conducting and _is_under_way(row)):
            return str(row["id"])
    raise _nothing_to_start(unfinished)


def _is_under_way(row: dict[str, Any]) -> bool:
    return row["state"] != "paused" or row["queued_at"] is not None


def _nothing_to_start(unfinished: list[dict[str, Any]]) -> ToryoError:
    if not unfinished:
        return ToryoError("E162", "nothing was stopped here", hint="say what you want: plain text, or /start TEXT")
    row = unfinished[0]
    short = row["id"].removeprefix("session-")[:8]
    match row["waits_for"]:
        case "answers":
            return ToryoError(
                "E162", f"session {short} waits for your answers", hint=f"/respond {short} shows what it asks"
            )
        case "approval":
            return ToryoError("E162", f"session {short} waits for your approval", hint=f"/approve {short}")
    return ToryoError("E162", f"session {short} is under way already", hint="/status shows how it stands")
