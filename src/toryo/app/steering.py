"""What a person decides about a session or one of its tasks, whichever face they say it to."""

import time

from toryo.app.budgeting import refuse_if_used_up
from toryo.app.planning import answer, approve, defaults, has_plan_to_decide, open_questions, reject
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Assent
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import BlockReason
from toryo.rules.answering import NotUnderstood, answers_from
from toryo.rules.assenting import default_answers, is_approvable
from toryo.rules.findings import ASKS
from toryo.rules.phrases import means_go
from toryo.views.columns import clipped
from toryo.views.queueing import queue_of
from toryo.views.records.statuses import clarification
from toryo.views.rows import is_unfinished

_LONGEST_QUESTION = 500
_ASSENT = "--yes"
_NEEDS_A_REASON = (BlockReason.HYGIENE, BlockReason.PROTECTED)


# ── going on ─────────────────────────────────────────────────────────────────


def resumed(project: Project, session: Session) -> Session:
    """The session going again; what was blocked is sent round once more if that is what it waited for."""
    now = time.time()
    blocked = [task.number for task in session.tasks.values() if task.state is TaskState.BLOCKED]
    retried = [e.TaskRetried(now, number) for number in blocked] if session.waits_for_person else []
    wanted = (e.SessionResumed(now), *retried)
    refuse_if_used_up(session, wanted)
    return project.append(session, *wanted)


def latest_unfinished(project: Project) -> Session:
    """Those that wait for their turn come after all others, next one first."""
    rows = project.summaries()
    others = [row["id"] for row in rows if is_unfinished(row) and row["queued_at"] is None]
    for session_id in (*others, *queue_of(rows)):
        return project.load(session_id)
    project.session()
    raise ToryoError("E206", "there is no unfinished session", hint="'toryo status' lists all of them")


def refuse_if_closed(session: Session, hint: str = "") -> None:
    if session.state is SessionState.CLOSED:
        raise ToryoError("E206", f"session {session.short} is closed ({session.outcome})", hint=hint)


# ── answering ────────────────────────────────────────────────────────────────


def answer_questions(project: Project, session: Session, words: str, *, by_default: bool = False) -> Session:
    """What a session asks before its plan is made; words such as '1b 2a'."""
    questions = open_questions(session)
    if not questions:
        raise ToryoError("E212", f"session {session.short} asks nothing", hint="'toryo inbox' shows what waits for you")
    try:
        answers = defaults(questions) if by_default else answers_from(words, questions)
    except NotUnderstood as error:
        raise ToryoError("E212", str(error), hint=f"toryo answer {session.short} shows the questions") from error
    if not answers:
        raise ToryoError("E212", "a question without a default needs an answer in words", hint=questions[0].text)
    return answer(project, session, answers)


def answer_task(project: Project, session: Session, task: Task, words: str) -> Session:
    """What a blocked task asks, or one whose agent waits; its agent goes on with the words.

    An agent that waits is stopped for that: its conversation is what matters, not its process.
    """
    asked = "" if task.question else clarification(task).removeprefix(ASKS).strip()  # else the planner asked
    about = f"You asked: {clipped(asked, _LONGEST_QUESTION)}\n\nThe answer: {words}" if asked else words
    answered = project.decide(session, e.TaskRetried(time.time(), task.number, "", about))
    if answered is None:
        state = project.load(session.id).tasks[task.number].state
        raise ToryoError("E208", f"{task.plan.key} is {state}, and asks nothing", hint="toryo inbox")
    return answered


# ── approving ────────────────────────────────────────────────────────────────


def needs_reason(task: Task) -> bool:
    """Something is to be let through that a rule speaks against; who comes later will want to know why."""
    return task.state is TaskState.BLOCKED and task.block_reason in _NEEDS_A_REASON


def refuse_without_reason(task: Task, why: str) -> None:
    if needs_reason(task) and not why:
        key = task.plan.key
        raise ToryoError(
            "E219",
            f"{key} waits because of {task.block_reason}: letting it through needs a reason",
            hint=f"toryo approve {key} --why '…'; toryo info {key} shows what was found",
            exit_code=Exit.USAGE,
        )


def refuse_unless_blocked(task: Task) -> None:
    if task.state is not TaskState.BLOCKED:
        key = task.plan.key
        raise ToryoError("E208", f"{key} is {task.state}, not blocked", hint=f"toryo info {key}")


def approve_task(project: Project, session: Session, task: Task, why: str) -> tuple[Session, str]:
    """A person's word for the task's work; the session then, and what came of it in words."""
    key, now = task.plan.key, time.time()
    refuse_without_reason(task, why)
    if approved := project.decide(session, e.TaskApproved(now, task.number, "a person", why)):
        return approved, f"approved: {key}"
    if retried := project.decide(session, e.TaskRetried(now, task.number)):
        reason = f" ({task.block_reason})" if task.block_reason else ""
        return retried, f"note: nobody's word helps with what {key} waits for{reason}; it is tried again instead"
    refuse_unless_blocked(project.load(session.id).tasks[task.number])
    raise ToryoError("E208", f"{key} is not needed any more", hint=f"toryo info {key}")


def assented(project: Project, session: Session) -> Session | None:
    """The session with its defaults taken, or its plan approved if that is good enough; None: a person has to."""
    if answers := default_answers(session):
        return answer(project, session, answers, by=_ASSENT)
    return approve(project, session, by=_who_assented(session)) if is_approvable(session) else None


def _who_assented(session: Session) -> str:
    """Whoever let an intent be carried out has agreed to its plan by that."""
    if session.pursuit is None or not session.pursuit.released_by:
        return _ASSENT
    return f"{session.pursuit.released_by}, with its intent"


def assent(project: Project, session: Session, *, only_plan: bool = False) -> Session:
    """The session with a person's word that whoever goes on with it need not ask them."""
    return project.append(session, e.AssentGiven(time.time(), Assent.DEFAULTS if only_plan else Assent.PLAN))


# ── trying once more ─────────────────────────────────────────────────────────


def retry_task(project: Project, session: Session, task: Task, words: str) -> Session:
    """The session with its task queued again; nobody goes on with it yet."""
    refuse_if_closed(session)
    at = time.time()
    return project.append(session, *what_is_wanted(session, task, at, "", words), e.SessionResumed(at))


def what_is_wanted(session: Session, task: Task, now: float, agent: str, words: str) -> list[e.Event]:
    credential = session.credential_of(task)
    if task.state is TaskState.BLOCKED:
        lifted = [] if agent else [e.PauseLifted(now, credential)]
        return [*lifted, e.TaskRetried(now, task.number, agent, words)]
    is_waiting = task.state is TaskState.PLANNED and credential in session.pauses
    if is_waiting:
        told = [e.TaskReassigned(now, task.number, agent or task.plan.agent, words)] if agent or words else []
        return [*told, *([] if agent else [e.PauseLifted(now, credential)])]
    raise ToryoError(
        "E208", f"{task.plan.key} is {task.state}, not blocked or paused", hint=f"toryo info {task.plan.key}"
    )


# ── saying something ─────────────────────────────────────────────────────────


def tell(project: Project, session: Session, words: str) -> Session:
    """Something said to a session while it works, or about its plan."""
    if not words:
        raise ToryoError("E213", "there is nothing to say")
    if session.state is SessionState.CLOSED:
        hint = f'toryo continue {session.short} "…" adds to it'
        raise ToryoError("E213", f"session {session.short} is closed", hint=hint)
    if session.planning is None and not session.terms.reviews:
        hint = "toryo retry TASK --say '…' tells one task's agent"
        raise ToryoError("E213", "this session has no planner to listen: it began with a plan file", hint=hint)
    if has_plan_to_decide(session):
        return approve(project, session) if means_go(words) else reject(project, session, words)
    if open_questions(session):
        raise ToryoError("E213", "it has questions first", hint=f"toryo answer {session.short}")
    told = project.decide(session, e.PersonSaid(time.time(), words))
    return told or tell(project, project.load(session.id), words)
