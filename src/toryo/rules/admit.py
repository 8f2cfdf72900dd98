"""Whether an event may still be recorded: what came too late or was superseded is left out."""

from toryo.domain import events as e
from toryo.domain.plan import PlannedTask, WorktreeChoice
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED, SATISFIED, SETTLED, Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.taskbook import is_still_needed


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
            is_idle = not session.ready and not session.live and session.considered == len(session.sayings)
            return session.state is SessionState.EXECUTING and is_idle
        case e.TaskReassigned(task=number):
            return session.tasks[number].state is TaskState.PLANNED
        case e.PauseLifted(credential=credential):
            return credential in session.pauses
        case e.TaskBlocked(task=number):
            return session.tasks[number].state not in SETTLED
        case e.TaskRetried(task=number):
            task = session.tasks[number]
            return task.state is TaskState.BLOCKED and is_still_needed(session, task)
        case e.TaskApproved(task=number):
            task = session.tasks[number]
            return task.state is TaskState.BLOCKED and task.block_reason in _FOR_A_PERSON
        case e.TaskReconsidered(task=number, tasks=tasks):
            return number in session.stuck and _fits(session, tasks)
        case e.PlanApproved():
            return session.state is SessionState.AWAITING_APPROVAL
        case e.PlanRejected() | e.PlanEdited():
            return session.state is SessionState.AWAITING_APPROVAL and session.planning is not None
        case e.WishAdded():
            # What is still being planned would be forgotten for it.
            is_planned = session.resumes_to is not SessionState.PLANNING
            return session.planning is not None and session.state is SessionState.PAUSED and is_planned
        case e.QuestionsAnswered(answers=answers):
            waiting = {question.text for question in session.planning.open_questions} if session.planning else set()
            is_asked = bool(waiting) and session.state is not SessionState.CLOSED
            return is_asked and all(answer.question in waiting for answer in answers)
        case e.PersonSaid():
            return session.state is not SessionState.CLOSED
        case e.SayingConsidered(saying=saying, tasks=tasks):
            is_next = session.considered == saying < len(session.sayings)
            return is_next and session.state is not SessionState.CLOSED and _fits(session, tasks)
        case e.SessionJudged(commit=commit):
            return session.state is SessionState.CONCLUDING and commit == session.tip
        case (
            e.RepositorySurveyed()
            | e.QuestionsAsked()
            | e.DocumentWritten()
            | e.TasksDrafted()
            | e.DraftScored()
            | e.TalkCompacted()
        ):
            return session.state is SessionState.PLANNING and session.planning is not None
        case e.PlanProposed(tasks=tasks):
            return session.state is SessionState.PLANNING and _fits(session, tasks)
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


def _fits(session: Session, tasks: tuple[PlannedTask, ...]) -> bool:
    """Nobody else added tasks with the same names meanwhile."""
    branches = {task.plan.branch for task in session.tasks.values()} if tasks else set()
    return not any(task.key in session.keys or (task.branch and task.branch in branches) for task in tasks)


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
        case e.VerdictReached(verdict=verdict):
            # One from before a person changed what is wanted would lose their words.
            is_outdated = bool(task.revision) and verdict.feedback != task.revision
            return task.state is TaskState.CHECKING and run.verdict is None and not is_outdated
        case _:
            return task.state is TaskState.RUNNING
