"""How a session stands, at the end of a command that worked on it."""

from toryo.domain.session import Session
from toryo.domain.verdict import Outcome
from toryo.frontends.cli.talking import room, say, show, show_json
from toryo.rules.judging import session_outcome
from toryo.views.outcome import exit_code, headline, task_lines
from toryo.views.report import next_steps
from toryo.views.rows import envelope, session_row, task_row


def show_outcome(session: Session, *, as_json: bool, quiet: bool, interrupted: bool) -> int:
    """The summary a person or a script gets; the exit code."""
    outcome = session_outcome(session)
    if as_json:
        tasks = [task_row(session, task) for task in session.tasks.values()]
        show_json(envelope("session", {"session": {**session_row(session), "outcome": outcome}, "tasks": tasks}))
    else:
        if not quiet and session.tasks:
            show("\n".join(["", *task_lines(session, room()), ""]))
        show(headline(session, outcome))
        if not quiet:
            _show_next(session, outcome)
    return exit_code(session, outcome, interrupted=interrupted)


def _show_next(session: Session, outcome: Outcome) -> None:
    for branch, why in session.kept_worktrees:
        say(f"kept {branch}: {why}")
    say(f"report: toryo report {session.short}")
    for step in next_steps(session, outcome):
        say(step)
