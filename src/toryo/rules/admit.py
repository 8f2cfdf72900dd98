"""Whether an event may still be recorded: what came too late or was superseded is left out."""

from toryo.domain import events as e
from toryo.domain.plan import WorktreeChoice
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED, SATISFIED, SETTLED, Task, TaskState
from toryo.domain.verdict import BlockReason


def admit(session: Session, event: e.Event) -> bool:
    """True if the event still means something now; False if the world has moved on."""
    match event:
        case e.RunPlanned(task=number, at=at):
            task = session.tasks[number]
            pause = session.pauses.get(session.credential_of(task))
            is_early = pause is not None and at < pause.until
            return session.state is SessionState.EXECUTING and not is_early and may_start(session, task)
        case e.SessionPaused():
            return session.state not in (SessionState.PAUSED, SessionState.CLOSED)
        case e.SessionResumed():
            return session.state is SessionState.PAUSED
        case e.SessionClosed():
            return session.state is not SessionState.CLOSED
        case e.WorkSettled():
            return session.state is SessionState.EXECUTING and not session.ready and not session.live
        case e.TaskReassigned(task=number):
            return session.tasks[number].state is TaskState.PLANNED
        case e.PauseLifted(credential=credential):
            return credential in session.pauses
        case e.TaskBlocked(task=number):
            return session.tasks[number].state not in SETTLED
        case e.TaskRetried(task=number):
            task = session.tasks[number]
            return task.state is TaskState.BLOCKED and _is_still_needed(session, task)
        case e.TaskApproved(task=number):
            task = session.tasks[number]
            return task.state is TaskState.BLOCKED and task.block_reason in _FOR_A_PERSON
        case e.TaskReconsidered(task=number):
            return number in session.stuck
        case e.PlanApproved() | e.PlanRejected():
            return session.state is SessionState.AWAITING_APPROVAL
        case e.WishAdded():
            return session.planning is not None and session.state is SessionState.PAUSED
        case e.QuestionsAnswered(answers=answers):
            waiting = {question.text for question in session.planning.open_questions} if session.planning else set()
            return all(answer.question in waiting for answer in answers)
        case e.SayingConsidered(saying=saying):
            return saying == session.considered
        case e.SessionJudged(commit=commit):
            return session.state is SessionState.CONCLUDING and commit == session.tip
        case (
            e.RepositorySurveyed()
            | e.QuestionsAsked()
            | e.DocumentWritten()
            | e.TasksDrafted()
            | e.DraftScored()
            | e.TalkCompacted()
            | e.PlanProposed()
        ):
            return session.state is SessionState.PLANNING
        case e.TaskIntegrated(task=number) | e.MergeRefused(task=number):
            return session.tasks[number].state is TaskState.ACCEPTED
        case e.TaskEvent(task=number) if hasattr(event, "run"):
            task = session.tasks[number]
            return bool(task.runs) and task.runs[-1].id == event.run and _is_news(task, event)
        case _:
            return True


_FOR_A_PERSON = (BlockReason.REVIEW, BlockReason.NO_REVIEW, BlockReason.LIMIT)
"""Where a person's word can take the place of what is missing."""


def may_start(session: Session, task: Task) -> bool:
    """The compare of the compare-and-set: planned, dependencies met, and a slot and its worktree free."""
    wanted = MERGED if task.needs_merged_dependencies else SATISFIED
    return (
        task.state is TaskState.PLANNED
        and session.busy < session.parallel
        and not _is_barred(session, task)
        and not (_is_shared(task) and any(_is_shared(session.tasks[number]) for number in session.live))
        and all(session.tasks[need].state in wanted for need in task.depends_on)
    )


def _is_barred(session: Session, task: Task) -> bool:
    pause = session.pauses.get(session.credential_of(task))
    return pause is not None and pause.needs_person


def _is_shared(task: Task) -> bool:
    return task.plan.worktree is WorktreeChoice.SHARED


def _is_still_needed(session: Session, task: Task) -> bool:
    """A resolution is, as long as the task it settles waits for it and not for another way."""
    if task.resolves is None:
        return True
    original = session.tasks[task.resolves]
    return original.state is TaskState.ACCEPTED and original.resolution == task.number


def _is_news(task: Task, event: e.TaskEvent) -> bool:
    run = task.runs[-1]
    match event:
        case e.WorkObserved():
            return task.state is TaskState.CHECKING and run.observation is None
        case e.CheckFinished(result=result):
            known = {old.name for old in run.results}
            return task.state is TaskState.CHECKING and result.name not in known
        case e.WorkReviewed():
            return task.state is TaskState.CHECKING and run.review is None
        case e.VerdictReached():
            return task.state is TaskState.CHECKING and run.verdict is None
        case _:
            return task.state is TaskState.RUNNING
