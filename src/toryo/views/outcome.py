"""What became of a session and its tasks."""

from toryo.domain.errors import Exit
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task
from toryo.domain.verdict import Outcome
from toryo.rules.durations import say_duration
from toryo.views.columns import clipped, columns
from toryo.views.landingwords import is_landed_in_part, landing_words
from toryo.views.standing import is_being_planned, rests_on_requests
from toryo.views.words import outcome_words, proof_words, state_words


def exit_code(session: Session, outcome: Outcome, *, interrupted: bool) -> int:
    """What a command that worked on the session ends with."""
    if interrupted and session.state is not SessionState.CLOSED:
        return Exit.INTERRUPTED
    if outcome in (Outcome.ERROR, Outcome.INVALID):
        return Exit.ERROR
    is_complete = outcome is Outcome.COMPLETE and (session.state is SessionState.CLOSED or rests_on_requests(session))
    return Exit.COMPLETE if is_complete else Exit.NOT_COMPLETE


def task_lines(session: Session, room: int = 0) -> list[str]:
    """A table of the tasks and what became of them."""
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
    return columns(rows, ("TASK", "TITLE", "STATE", "OUTCOME", "RUNS", "TOOK"), room)


def _took(task: Task) -> str:
    ends = [run.ended_at - run.started_at for run in task.runs if run.ended_at and run.started_at]
    return say_duration(max(sum(ends), 0.001)) if ends else "-"


def headline(session: Session, outcome: Outcome) -> str:
    """The outcome and what stands behind it, or why it is not complete, in one line."""
    if session.state is SessionState.CLOSED or rests_on_requests(session):
        return f"{outcome}{_landed(session)}: {proof_words(session)}"
    if not session.tasks and is_being_planned(session):
        return f"no plan yet, {session.state}: {session.pause_reason or 'not finished'}"
    landed = _landed(session) if is_landed_in_part(session) else ""
    return f"{outcome}, {session.state}{landed}: {session.pause_reason or 'not finished'}"


def _landed(session: Session) -> str:
    return f", {words}" if (words := landing_words(session)) else ""
