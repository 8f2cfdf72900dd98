"""Having a session go on behind a person's back once they have decided something about it."""

from toryo.app.background import leave
from toryo.app.leasing import Attention, attention_to
from toryo.app.project import Project
from toryo.app.steering import resumed
from toryo.domain.session import Session
from toryo.views.queueing import turn_words


def carry_on(project: Project, session: Session) -> str:
    """In the background, unless somebody is at it; what is to be said about that."""
    if attention_to(project, session) is Attention.TAKEN_UP:
        return ""
    return queue_up(project, session)


def queue_up(project: Project, session: Session) -> str:
    session, others = leave(project, resumed(project, project.load(session.id)))
    return f"session {session.short} goes on in the background{turn_words(others)}"
