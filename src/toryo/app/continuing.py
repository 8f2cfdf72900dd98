"""Adding to a session what is missing, or something more."""

from collections.abc import Mapping

from toryo.app.budgeting import change_budget
from toryo.app.planning import Instruction, open_planning, prepare_planning, wish
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.limits import Limit
from toryo.domain.plan import Chosen
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState

Limits = Mapping[Limit, str]


def what_is_missing(session: Session) -> str:
    """What the final judgement found missing, as an instruction; empty: nothing is known to be."""
    missing = session.judgement.missing if session.judgement else ()
    return "What was found missing:\n\n" + "\n".join(f"- {aspect}" for aspect in missing) if missing else ""


def is_only_incomplete(session: Session) -> bool:
    """All of it was done, and it is not what was asked for: there is nothing to try again, but something to add."""
    judgement = session.judgement if session.judged_commit == session.tip else None
    is_left = session.count(TaskState.BLOCKED, TaskState.PLANNED, TaskState.ACCEPTED) > 0
    return judgement is not None and not judgement.is_complete and not is_left and session.waits_for_person


def continued(
    project: Project,
    session: Session,
    instruction: Instruction,
    chosen: Chosen,
    limits: Limits,
    flags: Mapping[str, object],
) -> Session:
    """The session with something added; one that is finished is followed by a new one from its branch."""
    if session.state is not SessionState.CLOSED:
        session = wish(project, session, instruction.text)
        return change_budget(project, session, limits) if limits else session
    if session.planning is None:
        raise ToryoError("E211", "this session began with a plan, not with an instruction", hint='toryo run "…"')
    budget = {f"budget.{limit}": amount for limit, amount in limits.items()}
    settings = prepare_planning(project, {**flags, **budget}, chosen)
    return open_planning(project, settings, instruction, earlier=session, chosen=chosen)
