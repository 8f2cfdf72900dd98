"""What a session waits for, before and between its tasks."""

from toryo.domain.landing import RequestState
from toryo.domain.session import Session, SessionState
from toryo.rules.planning import needs_release

_PLANNED = (SessionState.PLANNING, SessionState.AWAITING_APPROVAL)
_WORDS = {
    "answers": "waits for answers",
    "approval": "waits for approval",
    "release": "waits for approval",
    "person": "blocked",
}


def waits_for(session: Session) -> str | None:
    """What only a person can give: `answers`, `approval` of its plan, `release` of its intent, or `person` for anything
    else; None: nothing.
    """
    if session.state is SessionState.CLOSED:
        return None
    if session.state is SessionState.AWAITING_APPROVAL:
        return "approval"
    if session.planning and session.planning.open_questions:
        return "answers"
    if needs_release(session) and session.state is SessionState.PLANNING:
        return "release"
    return "person" if session.waits_for_person else None


def is_being_planned(session: Session) -> bool:
    """There is no approved plan, or one is being added to."""
    state = session.resumes_to if session.state is SessionState.PAUSED else session.state
    return state in _PLANNED


def is_landing(session: Session) -> bool:
    """Its result is being brought home, or was until that had to wait."""
    state = session.resumes_to if session.state is SessionState.PAUSED else session.state
    return state is SessionState.LANDING


def rests_on_requests(session: Session) -> bool:
    """Its pull requests are open: what comes next is others' to say."""
    landing = session.landing
    opened = [request for request in landing.requests if request.number] if landing else []
    return session.state is SessionState.LANDING and any(one.state is RequestState.OPEN for one in opened)


def standing_words(state: str, waits: str | None, queued_at: float | None = None) -> str:
    """How a session stands, at a glance."""
    if waits:
        return _WORDS[waits]
    return "queued" if queued_at else state
