"""How what a model or a person thinks of the work changes it."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.hygiene import Permission
from toryo.domain.moves import move
from toryo.domain.review import Opinion, Remedy, Response, Review
from toryo.domain.session import SESSION_MOVES, Session, SessionState
from toryo.domain.task import SETTLED, Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.cleanliness import open_blemishes, open_protected
from toryo.rules.evolve_integration import begun_anew
from toryo.rules.evolve_planning import counted, talked
from toryo.rules.limits import let_beyond, settled
from toryo.rules.taskbook import add_tasks, change_run, change_task, is_still_needed, mended, rewire, with_run


def work_reviewed(session: Session, event: e.WorkReviewed) -> Session:
    session = counted(session, event.calls)
    task, run = change_run(session, event, review=event.review)
    return change_task(session, task, evidence=task.evidence + event.evidence, **with_run(task, run))


def task_approved(session: Session, event: e.TaskApproved) -> Session:
    """The verdict is reached anew: with the person's word for the review, beyond the limit, or with what it allows."""
    task = session.tasks[event.task]
    if task.block_reason in (BlockReason.TIMEOUT, BlockReason.TESTS_FIRST):
        return _let_go_on(session, task, event)
    run, plan = changed(task.runs[-1], verdict=None), task.plan
    permissions = task.permissions
    if task.block_reason is BlockReason.LIMIT:
        plan = let_beyond(task)
    elif task.block_reason in (BlockReason.HYGIENE, BlockReason.PROTECTED):
        permissions = (*permissions, _permission(task, event))
    else:
        run = changed(run, review=Review(Opinion.APPROVED, event.why or "approved by a person", by=event.by))
    # The attempt is counted with the verdict, and there will be another one about the same run.
    again = {
        "attempts": max(0, task.attempts - 1),
        "block_reason": None,
        "question": "",
        "plan": plan,
        "permissions": permissions,
        **_let_through(task, event),
    }
    return change_task(session, task, TaskState.CHECKING, **again, **with_run(task, run))


def _permission(task: Task, event: e.TaskApproved) -> Permission:
    """What the person saw, and nothing that comes later."""
    seen = task.runs[-1].observation
    if seen is None:
        return Permission(event.by, event.why)
    if task.block_reason is BlockReason.HYGIENE:
        return Permission(event.by, event.why, open_blemishes(task, seen))
    return Permission(event.by, event.why, protected=open_protected(task, seen))


def _let_go_on(session: Session, task: Task, event: e.TaskApproved) -> Session:
    """Another run: for as long again as the last one had, or without tests that failed first."""
    plan = task.plan
    if task.block_reason is BlockReason.TESTS_FIRST:
        plan = changed(plan, tests_first=False)
    elif task.runs:
        plan = let_beyond(task)
    attempts = max(0, task.attempts - 1)  # it was cut short, which is no failed attempt
    again = {"attempts": attempts, "block_reason": None, "question": "", "outcome": None, "plan": plan}
    return change_task(session, task, TaskState.PLANNED, **again, **_let_through(task, event))


def _let_through(task: Task, event: e.TaskApproved) -> dict[str, Any]:
    """On record for whoever takes the work over."""
    why = f" ({event.why})" if event.why else ""
    said = f"{task.block_reason}: {task.reason} — let through by {event.by}{why}"
    return {"violations": settled(task.violations), "approvals": (*task.approvals, said)}


def task_reconsidered(session: Session, event: e.TaskReconsidered) -> Session:
    session = counted(session, event.calls)
    task = session.tasks[event.task]
    common: dict[str, Any] = {
        "replans": task.replans + 1,
        "reconsidered": event.reason,
        "failures": 0,
        "not_before": 0.0,
    }
    match event.remedy:
        case Remedy.RETRY:
            feedback = f"{event.advice}\n\n{task.feedback}".strip()
            attempts = max(0, session.terms.attempts - 1)
            return change_task(
                session, task, TaskState.PLANNED, attempts=attempts, feedback=feedback, block_reason=None, **common
            )
        case Remedy.REPLACE:
            return _replaced(session, task, event, common)
        case _:
            return change_task(session, task, question=event.advice or event.reason, **common)


def _replaced(session: Session, task: Task, event: e.TaskReconsidered, common: dict[str, Any]) -> Session:
    """New tasks in its place: whoever waited for it waits for the last of them."""
    session = add_tasks(session, event.tasks)
    numbers = tuple(session.keys[planned.key] for planned in event.tasks)
    for number in numbers:
        new = session.tasks[number]
        session = change_task(session, new, replaces=task.number, replans=task.replans + 1)
    needed = {need for number in numbers for need in session.tasks[number].depends_on}
    session = rewire(session, task.number, tuple(number for number in numbers if number not in needed))
    session = change_task(session, session.tasks[task.number], TaskState.REPLACED, replaced_by=numbers, **common)
    return mended(session, task)


def saying_considered(session: Session, event: e.SayingConsidered) -> Session:
    session = counted(session, event.calls)
    session = talked(session, session.sayings[event.saying], event.answer)
    if session.state is SessionState.CONCLUDING:
        # There may be more to do after all.
        session = changed(session, state=move("session", SESSION_MOVES, session.state, SessionState.EXECUTING))
    for number, words in event.changes:
        session = _revised(session, session.tasks[number], words)
    for number in event.cancelled:
        session = _cancelled(session, session.tasks[number])
    session = add_tasks(session, event.tasks)
    added = tuple(session.keys[planned.key] for planned in event.tasks)
    response = Response(event.answer, tuple(number for number, _ in event.changes), event.cancelled, added)
    return changed(
        session,
        considered=event.saying + 1,
        responses=(*session.responses, response),
        failures=0,
        not_before=0.0,
    )


def _revised(session: Session, task: Task, words: str) -> Session:
    """What is at work is stopped and begins again; what waits just learns of it; what is merged stays."""
    match task.state:
        case TaskState.RUNNING | TaskState.CHECKING:
            return change_task(session, task, revision=f"{task.revision}\n\n{words}".strip())
        case TaskState.PLANNED:
            return change_task(session, task, feedback=f"{words}\n\n{task.feedback}".strip())
        case TaskState.ACCEPTED | TaskState.BLOCKED if is_still_needed(session, task):
            session = mended(_without_resolution(session, task), task)
            again = begun_anew(task) | {"feedback": words, "resolution": None}
            return change_task(session, session.tasks[task.number], TaskState.PLANNED, **again)
        case _:
            return session


def _cancelled(session: Session, task: Task) -> Session:
    """A run is stopped first: nothing may go on working at what nobody wants."""
    if task.state in SETTLED:
        return session
    session = mended(_without_resolution(session, task), task)
    task = session.tasks[task.number]
    if task.state is TaskState.RUNNING:
        session = change_task(session, task, is_unwanted=True)
    else:
        session = change_task(session, task, TaskState.CANCELLED)
    return rewire(session, task.number, ())  # whoever waited for it need not wait for what nobody wants


def _without_resolution(session: Session, task: Task) -> Session:
    """A conflict of work that changes, or goes, need not be settled any more."""
    return session if task.resolution is None else _cancelled(session, session.tasks[task.resolution])


def session_judged(session: Session, event: e.SessionJudged) -> Session:
    session = counted(session, event.calls)
    return changed(session, judgement=event.judgement, judged_commit=event.commit, failures=0, not_before=0.0)
