"""How a session stands, at the end of a command that worked on it."""

from toryo.domain.errors import Exit
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task
from toryo.domain.verdict import Outcome
from toryo.frontends.cli.talking import room, say, show, show_json
from toryo.rules.durations import say_duration
from toryo.rules.judging import session_outcome
from toryo.views.columns import clipped, columns
from toryo.views.landingwords import is_landed_in_part, landing_words
from toryo.views.report import next_steps
from toryo.views.rows import envelope, session_row, task_row
from toryo.views.standing import is_being_planned, rests_on_requests
from toryo.views.words import outcome_words, proof_words, state_words


def exit_code(session: Session, outcome: Outcome, *, interrupted: bool) -> int:
    if interrupted and session.state is not SessionState.CLOSED:
        return Exit.INTERRUPTED
    if outcome in (Outcome.ERROR, Outcome.INVALID):
        return Exit.ERROR
    is_complete = outcome is Outcome.COMPLETE and (session.state is SessionState.CLOSED or rests_on_requests(session))
    return Exit.COMPLETE if is_complete else Exit.NOT_COMPLETE


def task_lines(session: Session) -> list[str]:
    if not session.tasks:
        return []
    rows = [
        (
            task.plan.key,
            clipped(task.plan.title, 44),
            state_words(session, task),
            outcome_words(task),
            str(len(task.runs)),
            _took(task),
        )
        for task in session.tasks.values()
    ]
    return columns(rows, ("TASK", "TITLE", "STATE", "OUTCOME", "RUNS", "TOOK"), room())


def _took(task: Task) -> str:
    ends = [run.ended_at - run.started_at for run in task.runs if run.ended_at and run.started_at]
    return say_duration(max(sum(ends), 0.001)) if ends else "-"


def show_outcome(session: Session, *, as_json: bool, quiet: bool, interrupted: bool) -> int:
    """The summary a person or a script gets; the exit code."""
    outcome = session_outcome(session)
    if as_json:
        tasks = [task_row(session, task) for task in session.tasks.values()]
        show_json(envelope("session", {"session": {**session_row(session), "outcome": outcome}, "tasks": tasks}))
    else:
        if not quiet and session.tasks:
            show("\n".join(["", *task_lines(session), ""]))
        show(_headline(session, outcome))
        if not quiet:
            _show_next(session, outcome)
    return exit_code(session, outcome, interrupted=interrupted)


def _headline(session: Session, outcome: Outcome) -> str:
    if session.state is SessionState.CLOSED or rests_on_requests(session):
        return f"{outcome}{_landed(session)}: {proof_words(session)}"
    if not session.tasks and is_being_planned(session):
        return f"no plan yet, {session.state}: {session.pause_reason or 'not finished'}"
    landed = _landed(session) if is_landed_in_part(session) else ""
    return f"{outcome}, {session.state}{landed}: {session.pause_reason or 'not finished'}"


def _landed(session: Session) -> str:
    return f", {words}" if (words := landing_words(session)) else ""


def _show_next(session: Session, outcome: Outcome) -> None:
    for branch, why in session.kept_worktrees:
        say(f"kept {branch}: {why}")
    say(f"report: toryo report {session.short}")
    for step in next_steps(session, outcome):
        say(step)
