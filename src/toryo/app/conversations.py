"""The conversation of a session, read from the journal."""

from contextlib import closing
from pathlib import Path

from toryo.app.project import open_project, readable
from toryo.domain.session import Session
from toryo.rules.evolve import evolve
from toryo.views.conversation import Conversation


def conversation_of(root: Path, session_id: str) -> Conversation:
    """As it stands. Whoever follows the journal tells it what comes next: `conversation.told(*each)` for all events in
    the `News` of its session; where it `misses` something, it is read anew.
    """
    conversation = Conversation()
    with closing(open_project(root)) as project:
        session: Session | None = None
        with readable(session_id):
            for _, event in project.journal.read(session_id):
                session = evolve(session, event)
                conversation.told(session, event)
        if session is None:
            project.load(session_id)  # says what is wrong
    return conversation
