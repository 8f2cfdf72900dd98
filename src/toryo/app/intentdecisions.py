"""What a person decides about an intent: in its file, and in the session that works on it."""

import time
from collections.abc import Callable

from toryo.app.continuing import is_only_incomplete, what_is_missing
from toryo.app.intents import ended_of, intent_files, moved, session_of
from toryo.app.planning import answer, approve, defaults, has_plan_to_decide, open_questions, wish
from toryo.app.project import Project
from toryo.app.pursuing import pursue, release
from toryo.app.steering import resumed
from toryo.app.stopping import discard
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Clarification, Intent, IntentStatus
from toryo.domain.planning import Answer, Question
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.rules.answering import NotUnderstood, answers_from
from toryo.rules.masking import mask
from toryo.rules.reconciling import as_asked
from toryo.views.intentinbox import as_question

BY = "a person"
_APPROVABLE = (IntentStatus.PROPOSED, IntentStatus.REJECTED, IntentStatus.BLOCKED, IntentStatus.ERROR)
_ONCE_MORE = "Said by a person, for another try:"


# ── approving ────────────────────────────────────────────────────────────────


def refuse_to_approve(project: Project, intent: Intent) -> None:
    """Raises ToryoError where there is nothing about it that a yes would settle."""
    slug = intent.slug
    if questions_of(project, intent):
        raise ToryoError("E285", f"{slug} has questions first", hint=f"toryo answer {slug} shows them")
    if intent.status in (*_APPROVABLE, IntentStatus.APPROVED) or _plan_of(project, intent):
        return
    session = session_of(project, intent)
    if intent.status is IntentStatus.EXECUTING and _was_cut_short(project, intent, session):
        return
    hint = f"toryo info {session.short} shows how it stands" if session else f"toryo intent show {slug}"
    raise ToryoError("E286", f"{slug} is {intent.status}: there is nothing to approve", hint=hint)


def _was_cut_short(project: Project, intent: Intent, session: Session | None) -> bool:
    """Its file says that it goes on, since whoever was about to begin with it was interrupted."""
    if session is None:
        return bool(intent.session) and not ended_of(project, intent)
    is_released = session.pursuit is not None and bool(session.pursuit.released_by)
    return session.state is not SessionState.CLOSED and not is_released


def _plan_of(project: Project, intent: Intent) -> Session | None:
    """Its session, where that waits for its plan to be approved."""
    session = session_of(project, intent)
    return session if session and has_plan_to_decide(session) else None


def approve_intent(project: Project, intent: Intent) -> tuple[Intent, Session | None]:
    """It may be carried out; or, where that was said before, its plan may. With its session, where that goes on."""
    refuse_to_approve(project, intent)
    if planned := _plan_of(project, intent):
        return intent, approve(project, planned)
    return intent_files(project).change(intent.slug, _approved), None


def _approved(intent: Intent) -> Intent:
    return moved(intent, IntentStatus.APPROVED, reason="") if intent.status in _APPROVABLE else intent


# ── answering ────────────────────────────────────────────────────────────────


def questions_of(project: Project, intent: Intent) -> tuple[Question, ...]:
    """What its session asks, then what else is open in its file."""
    session = session_of(project, intent)
    is_over = session is None or session.state is SessionState.CLOSED
    asked = () if session is None or is_over else open_questions(session)
    known = {as_asked(question.text) for question in asked}
    return (*asked, *(as_question(one) for one in intent.open_questions if as_asked(one.question) not in known))


def answer_intent(
    project: Project, intent: Intent, words: str, *, by_default: bool = False
) -> tuple[Intent, Session | None]:
    """What words such as '1b 2a' say to what it asks."""
    questions = questions_of(project, intent)
    slug = intent.slug
    if not questions:
        raise ToryoError("E287", f"{slug} asks nothing", hint="'toryo inbox' shows what waits for you")
    try:
        answers = (defaults(questions) or ()) if by_default else answers_from(words, questions)
    except NotUnderstood as error:
        raise ToryoError("E287", str(error), hint=f"toryo answer {slug} shows the questions") from error
    if not answers:
        raise ToryoError("E287", "a question without a default needs an answer in words", hint=questions[0].text)
    return give_answers(project, intent, questions, answers)


def give_answers(
    project: Project, intent: Intent, questions: tuple[Question, ...], answers: tuple[Answer, ...]
) -> tuple[Intent, Session | None]:
    """Recorded in its file first, then in the session that asked; that one is returned where it got an answer."""
    intent = intent_files(project).change(intent.slug, _answered(questions, answers))
    session = session_of(project, intent)
    asked = {question.text for question in open_questions(session)} if session else set()
    told = tuple(one for one in answers if one.question in asked)
    return intent, answer(project, session, told) if session and told else None


def _answered(questions: tuple[Question, ...], answers: tuple[Answer, ...]) -> Callable[[Intent], Intent]:
    given = {as_asked(one.question): mask(one.text) for one in answers}
    asked = {as_asked(question.text): question for question in questions}

    def edit(intent: Intent) -> Intent:
        known = {as_asked(one.question) for one in intent.clarifications}
        kept = [
            changed(one, answer=given[as_asked(one.question)])
            if not one.answer and as_asked(one.question) in given
            else one
            for one in intent.clarifications
        ]
        new = [
            Clarification(text, said, asked[text].why, asked[text].options, asked[text].default)
            for text, said in given.items()
            if text not in known
        ]
        return changed(intent, clarifications=(*kept, *new))

    return edit


# ── rejecting ────────────────────────────────────────────────────────────────


def refuse_to_reject(project: Project, intent: Intent) -> None:
    """Whoever was killed while rejecting it may have left its session open: then it is said once more."""
    session = session_of(project, intent) if intent.status is IntentStatus.REJECTED else None
    is_over = session is None or session.state is SessionState.CLOSED
    if not intent.status.is_open and is_over:
        raise ToryoError("E286", f"{intent.slug} is {intent.status} already", hint=f"toryo intent show {intent.slug}")


def reject_intent(project: Project, intent: Intent, why: str) -> tuple[Intent, Session | None]:
    """Nothing more comes of it; its session is closed, and everything that was done is kept."""
    refuse_to_reject(project, intent)
    intent = intent_files(project).change(intent.slug, lambda one: _rejected(one, mask(why)))
    session = session_of(project, intent)
    if session is None or session.state is SessionState.CLOSED:
        return intent, None
    return intent, discard(project, session)


def _rejected(intent: Intent, why: str) -> Intent:
    return intent if not intent.status.is_open else moved(intent, IntentStatus.REJECTED, reason=why)


# ── trying once more ─────────────────────────────────────────────────────────


def refuse_to_retry(intent: Intent) -> None:
    if not intent.status.is_failed:
        is_approved = intent.status is IntentStatus.APPROVED
        now = f"it begins with 'toryo watch', or at once with 'toryo approve {intent.slug} --now'"
        hint = now if is_approved else f"toryo intent show {intent.slug} shows how it stands"
        raise ToryoError("E286", f"{intent.slug} is {intent.status}, neither blocked nor failed", hint=hint)


def retry_intent(project: Project, intent: Intent, words: str) -> tuple[Intent, Session | None]:
    """Once more, with what a person adds; with its session where that goes on, else it begins anew."""
    refuse_to_retry(intent)
    session = session_of(project, intent)
    if session is not None and session.state is not SessionState.CLOSED:
        # The journal first: whoever tends the files would else send it round again without the words.
        session = _sent_round(project, session, words)
        return intent_files(project).change(intent.slug, _again("")), session
    return intent_files(project).change(intent.slug, _again(mask(words))), None


def _sent_round(project: Project, session: Session, words: str) -> Session:
    if is_only_incomplete(session):
        return wish(project, session, words or what_is_missing(session))
    now = time.time()
    blocked = [task.number for task in session.tasks.values() if task.state is TaskState.BLOCKED]
    told = [e.TaskRetried(now, number, "", words) for number in blocked]
    # Where no task has to hear it, the planner does.
    said = [e.PersonSaid(now, words)] if words and not blocked and not _is_said(session, mask(words)) else []
    return resumed(project, project.append(session, *told, *said))


def _is_said(session: Session, words: str) -> bool:
    """By somebody who was killed before the file said so: whoever is to hear it has it already."""
    begins_anew = (task.feedback for task in session.tasks.values() if task.state is TaskState.PLANNED)
    added = session.planning.wishes[-1:] if session.planning else ()
    return words in (*session.sayings[session.considered :], *added) or any(words in told for told in begins_anew)


def _again(words: str) -> Callable[[Intent], Intent]:
    def edit(intent: Intent) -> Intent:
        if not intent.status.is_failed:
            return intent
        body = f"{intent.body.rstrip()}\n\n{_ONCE_MORE} {words}\n".lstrip() if words else intent.body
        return moved(intent, IntentStatus.APPROVED, body=body, reason="", feedback=())

    return edit


# ── beginning at once ────────────────────────────────────────────────────────


def begin(project: Project, intent: Intent) -> Session:
    """The session of an approved intent, let through; opened where there is none that could go on."""
    session = session_of(project, intent)
    is_over = session is not None and session.state is SessionState.CLOSED
    if session is None or is_over:
        session = pursue(project, intent, ended=ended_of(project, intent))
    else:
        intent_files(project).change(intent.slug, _executing)
        session = wish(project, session, what_is_missing(session)) if is_only_incomplete(session) else session
    if session is None:
        hint = f"toryo intent show {intent.slug} shows how it stands"
        raise ToryoError("E286", f"{intent.slug} was begun or rejected meanwhile", hint=hint)
    return release(project, intent, session, BY)


def _executing(intent: Intent) -> Intent:
    is_approved = intent.status is IntentStatus.APPROVED
    return moved(intent, IntentStatus.EXECUTING) if is_approved else intent
