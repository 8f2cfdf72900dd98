"""How far a session is, in the seven phases that everybody knows."""

from toryo.domain.planning import Document
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.views.records.enums import Phase


def phase_of(session: Session) -> Phase:
    state = session.resumes_to if session.state is SessionState.PAUSED else session.state
    match state:
        case SessionState.PLANNING:
            return _planning_phase(session)
        case SessionState.AWAITING_APPROVAL:
            return Phase.PLANNING
        case SessionState.EXECUTING:
            return Phase.EXECUTION if _is_at_work(session) else Phase.QA
        case SessionState.CLOSED:
            return Phase.REPORT
        case _:
            return Phase.COMPLETION_VALIDATION


def _planning_phase(session: Session) -> Phase:
    planning = session.planning
    if planning is None:
        return Phase.PLANNING
    if planning.draft is not None:
        return Phase.PLANNING
    has_spec = bool(planning.document(Document.SPEC))
    return Phase.TASK_DECOMPOSITION if has_spec and not planning.open_questions else Phase.REQUIREMENT_ANALYSIS


def _is_at_work(session: Session) -> bool:
    """An agent works, or could; else what they left behind is checked and merged."""
    return bool(session.count(TaskState.RUNNING, TaskState.PLANNED)) or not session.tasks
