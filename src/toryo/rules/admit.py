"""Whether an event may still be recorded: what came too late or was superseded is left out."""

from toryo.domain import events as e
from toryo.domain.plan import PlannedTask, WorktreeChoice
from toryo.domain.run import RunState
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED, SATISFIED, SETTLED, Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.bisecting import Culprit, LookAt, find_culprit
from toryo.rules.budgeting import deadline, may_run, used_up
from toryo.rules.collisions import collisions_now, held_behind, touched_now
from toryo.rules.locking import may_take
from toryo.rules.taskbook import is_still_needed


def admit(session: Session, event: e.Event) -> bool:
    """True if the event still means something now; False if the world has moved on."""
    if isinstance(event, e.TaskEvent):
        return _of_a_task(session, session.tasks[event.task], event)
    match event:
        case e.SessionPaused(for_budget=True, at=at) if used_up(session, at) is None:
            return False
        case e.FoundChanged(task=None, tip=tip):
            return tip == session.tip and session.state not in (SessionState.PAUSED, SessionState.CLOSED)
        case e.SessionPaused():
            return session.state not in (SessionState.PAUSED, SessionState.CLOSED)
        case e.SessionResumed():
            return session.state is SessionState.PAUSED
        case e.SessionQueued():
            is_over = session.state in (SessionState.PAUSED, SessionState.CLOSED)
            return session.queued_at is None and not is_over
        case e.SessionTakenUp() | e.TurnChanged():
            return session.queued_at is not None
        case e.AssentGiven(assent=assent):
            return session.state is not SessionState.CLOSED and session.terms.assent is not assent
        case e.PersonSaid():
            # About a plan that is there, nothing is only said: it is approved or rejected.
            return session.state not in (SessionState.AWAITING_APPROVAL, SessionState.CLOSED)
        case e.SessionClosed():
            return session.state is not SessionState.CLOSED
        case e.WorkSettled():
            is_idle = not session.ready and not session.live and session.considered == len(session.sayings)
            return session.state is SessionState.EXECUTING and is_idle
        case e.PauseLifted(credential=credential):
            return credential in session.pauses
        case e.SayingConsidered(saying=saying, tasks=tasks):
            is_next = session.considered == saying < len(session.sayings)
            return is_next and session.state is not SessionState.CLOSED and _fits(session, tasks)
        case e.MergeBisected(commit=commit):
            found = find_culprit(session)
            is_wanted = isinstance(found, LookAt) and found.step.commit == commit
            return session.state is SessionState.CONCLUDING and is_wanted
        case e.MergesTakenBack(commit=commit):
            return bool(session.ahead) and commit == session.tip
        case e.CollisionsForeseen(collisions=collisions, touched=touched):
            is_known = (collisions, touched) == (collisions_now(session), touched_now(session))
            return session.state is SessionState.EXECUTING and not is_known
        case e.SessionJudged(commit=commit):
            return session.state is SessionState.CONCLUDING and commit == session.tip
        case e.LandingBegun():
            return session.state in _MAY_LAND and not (session.is_landed and session.state is SessionState.CLOSED)
        case e.LandingUndone():
            return session.landing is not None
        case e.RequestSeen(branch=branch, tasks=tasks):
            requests = session.landing.requests if session.landing else ()
            is_known = any(request.branch == branch for request in requests)
            return session.state is SessionState.LANDING and is_known and _fits(session, tasks)
        case _ if isinstance(event, _STEPS_OF_LANDING):
            return session.state is SessionState.LANDING
        case _:
            return _of_planning(session, event)


def _of_planning(session: Session, event: e.Event) -> bool:
    planning, state = session.planning, session.state
    match event:
        case e.PlanProposed(tasks=tasks):
            is_heedful = session.considered == len(session.sayings)
            return state is SessionState.PLANNING and is_heedful and _fits(session, tasks)
        case e.WordsTakenIn(sayings=sayings):
            is_planned = state is SessionState.PLANNING and planning is not None
            return is_planned and session.considered < sayings <= len(session.sayings)
        case e.PlanApproved():
            return state is SessionState.AWAITING_APPROVAL
        case e.PlanRejected() | e.PlanEdited():
            return state is SessionState.AWAITING_APPROVAL and planning is not None
        case e.WishAdded():
            # What is still being planned would be forgotten for it.
            is_planned = session.resumes_to is not SessionState.PLANNING
            return planning is not None and state is SessionState.PAUSED and is_planned
        case e.IntentAnalysed():
            return state is SessionState.PLANNING and session.pursuit is not None
        case e.IntentReleased():
            is_over = state is SessionState.CLOSED
            return session.pursuit is not None and not session.pursuit.released_by and not is_over
        case e.IntentsFiled():
            return session.pursuit is not None and session.pursuit.filed is None
        case e.QuestionsAnswered(answers=answers):
            waiting = {question.text for question in planning.open_questions} if planning else set()
            is_asked = bool(waiting) and state is not SessionState.CLOSED
            return is_asked and all(answer.question in waiting for answer in answers)
        case _ if isinstance(event, _STEPS_OF_PLANNING):
            return state is SessionState.PLANNING and planning is not None
        case _:
            return True


_MAY_LAND = (SessionState.CONCLUDING, SessionState.PAUSED, SessionState.CLOSED)
_STEPS_OF_LANDING = (e.BroughtUpToDate, e.UpdateConflicted, e.TargetMoved, e.BranchPushed, e.RequestOpened, e.Landed)
_STEPS_OF_PLANNING = (
    e.RepositorySurveyed,
    e.QuestionsAsked,
    e.DocumentWritten,
    e.TasksDrafted,
    e.DraftScored,
    e.TalkCompacted,
)


def _of_a_task(session: Session, task: Task, event: e.TaskEvent) -> bool:
    if isinstance(event, _SENT_ROUND_AGAIN) and session.state is SessionState.CLOSED:
        return False  # nobody would ever do it
    match event:
        case e.RunPlanned(at=at):
            pause = session.pauses.get(session.credential_of(task))
            is_in_time = (pause is None or at >= pause.until) and at < deadline(session)
            return session.state is SessionState.EXECUTING and is_in_time and may_start(session, task)
        case e.TaskReassigned():
            return task.state is TaskState.PLANNED
        case e.TaskBlocked():
            return task.state not in SETTLED
        case e.TaskRetried() if task.state is TaskState.RUNNING:
            # An answer to an agent that waits for one; whatever else is wanted has to wait until it has ended.
            return task.runs[-1].state is RunState.WAITING and bool(event.says) and not event.agent
        case e.TaskRetried():
            return task.state is TaskState.BLOCKED and is_still_needed(session, task)
        case e.WorkHandedIn():
            return task.state is TaskState.BLOCKED and bool(task.base) and is_still_needed(session, task)
        case e.TaskApproved():
            may_say = task.block_reason in _FOR_A_PERSON and is_still_needed(session, task)
            return task.state is TaskState.BLOCKED and may_say
        case e.TaskReconsidered(tasks=tasks):
            return task.number in session.stuck and _fits(session, tasks)
        case e.TaskIntegrated():
            return task.state is TaskState.ACCEPTED
        case e.CulpritParked(merge=merge):
            found = find_culprit(session)
            is_found = isinstance(found, Culprit) and found.merge.commit == merge
            return session.state is SessionState.CONCLUDING and is_found
        case e.MergeRefused():
            return task.state is TaskState.ACCEPTED and not _is_being_settled(session, task)
        case _ if hasattr(event, "run"):
            return bool(task.runs) and task.runs[-1].id == event.run and _is_news(task, event)
        case _:
            return True


_SENT_ROUND_AGAIN = (e.TaskRetried, e.TaskReassigned, e.WorkHandedIn, e.TaskApproved)
_FOR_A_PERSON = (
    *(BlockReason.REVIEW, BlockReason.NO_REVIEW, BlockReason.LIMIT, BlockReason.TIMEOUT, BlockReason.TESTS_FIRST),
    *(BlockReason.HYGIENE, BlockReason.PROTECTED),
)
"""Where a person's word can take the place of what is missing."""


def _is_being_settled(session: Session, task: Task) -> bool:
    """A person sent the work on its conflict round again, which somebody was about to give up."""
    return task.resolution is not None and session.tasks[task.resolution].state not in _GIVEN_UP


_GIVEN_UP = (TaskState.BLOCKED, TaskState.CANCELLED)


def may_start(session: Session, task: Task) -> bool:
    """The compare of the compare-and-set: planned, dependencies met, and a slot, its files and the means free."""
    wanted = MERGED if task.needs_merged_dependencies else SATISFIED
    return (
        task.state is TaskState.PLANNED
        and session.busy < session.parallel
        and may_take(session, task)
        and held_behind(session, task) is None
        and may_run(session, task.plan.agent)
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
        case e.BaseChecked(result=result):
            known = {old.name for old in run.before}
            return task.state is TaskState.RUNNING and run.started_at is None and result.name not in known
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
