"""What a person who said yes to everything beforehand need not be asked any more."""

from toryo.domain.plan import Assent
from toryo.domain.planning import Answer
from toryo.domain.session import Session, SessionState
from toryo.rules.planning import is_good_enough


def default_answers(session: Session) -> tuple[Answer, ...]:
    """Every open question's default; none where one of them has none, or nothing is asked."""
    questions = session.planning.open_questions if session.planning else ()
    if session.state is not SessionState.PLANNING or not all(question.default for question in questions):
        return ()
    return tuple(Answer(question.text, question.default) for question in questions)


def is_approvable(session: Session) -> bool:
    """There is a plan to be approved, and it is good enough for nobody to look at it."""
    is_good = session.planning is None or is_good_enough(session.planning)
    return session.state is SessionState.AWAITING_APPROVAL and is_good


def goes_on_by_assent(session: Session) -> bool:
    """It waits for nothing but what was said beforehand; what an intent asks is for a person to say."""
    takes_defaults = session.pursuit is None and bool(default_answers(session))
    match session.terms.assent:
        case Assent.PLAN:
            return takes_defaults or is_approvable(session)
        case Assent.DEFAULTS:
            return takes_defaults
        case Assent.NONE:
            return False
