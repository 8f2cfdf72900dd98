"""`/exit`: leave, and say what goes on without us."""

from contextlib import suppress

from toryo.app.background import queue
from toryo.app.project import Project
from toryo.frontends.repl.conversation import Conversation, Leave
from toryo.frontends.repl.meaning import here
from toryo.frontends.repl.reading import Typed
from toryo.frontends.speech import show
from toryo.views.rows import is_unfinished


def exit_(conversation: Conversation, typed: Typed) -> int:
    with suppress(Exception):  # whatever is wrong here, nobody is kept from leaving
        for line in farewell(here()):
            show(line)
    raise Leave


def farewell(project: Project) -> list[str]:
    """What goes on in the background, and what waits for the person; in the words of the shell, where they will be."""
    rows = [row for row in project.summaries() if is_unfinished(row)]
    queued = queue(project)
    lines = []
    is_conducting = project.conductor_pid is not None
    for row in rows:
        short = row["id"].removeprefix("session-")[:8]
        if is_conducting and row["state"] != "paused" and not row["waits_for"] and row["id"] not in queued:
            how = f"toryo logs --follow {short} shows it, toryo stop {short} stops it"
            lines.append(f"session {short} ({row['title']}) goes on in the background: {how}")
    if queued:
        turn = "waits for its turn" if len(queued) == 1 else "wait for their turn"
        lines.append(f"{len(queued)} session{'' if len(queued) == 1 else 's'} {turn}: toryo status shows them")
    waits = sum(row["waits_for"] is not None for row in rows)
    if waits:
        lines.append(f"{waits} session{' waits' if waits == 1 else 's wait'} for you: toryo inbox")
    return lines
