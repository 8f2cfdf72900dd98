"""What plain words mean in a conversation about a session: an answer, a yes, a no with its reason, or a new wish."""

from enum import StrEnum

from toryo.domain.session import Session, SessionState
from toryo.rules.phrases import means_go
from toryo.rules.planning import needs_answers, needs_release


class Understood(StrEnum):
    """What somebody wants who says something while a session is in front of them."""

    BEGIN = "begin"
    """Something new; after a finished session, the model says whether it goes on from that one's work."""
    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"
    SAY = "say"
    RESUME = "resume"
    RELEASE = "release"
    """An intent may be carried out."""


_OVER = (SessionState.CLOSED, SessionState.LANDING)


def understood(text: str, session: Session | None) -> Understood:
    """The one rule of the chat. Nothing at all is a yes: to every default, to the plan, to going on."""
    if session is None or session.state in _OVER:
        return Understood.BEGIN
    if needs_answers(session):
        return Understood.ANSWER
    is_yes = not text.strip() or means_go(text)
    state = session.resumes_to if session.state is SessionState.PAUSED else session.state
    if state is SessionState.AWAITING_APPROVAL:
        return Understood.APPROVE if is_yes else Understood.REJECT
    if needs_release(session):
        return Understood.RELEASE if is_yes else Understood.SAY
    return Understood.RESUME if is_yes and session.state is SessionState.PAUSED else Understood.SAY
