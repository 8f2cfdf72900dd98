"""What plain words mean depends on how the session in front of somebody stands, and on nothing else."""

import pytest
from tests.support.planning import QUESTION, approved, asked, instructed, proposed, surveyed, thought_through
from tests.support.sessions import AT, after

from toryo.domain import events as e
from toryo.domain.session import Session
from toryo.domain.verdict import Outcome
from toryo.rules.understanding import Understood, understood

PAUSED = e.SessionPaused(AT, "stopped by a person")
ASKING = asked(surveyed(instructed()), QUESTION)
AWAITING = proposed(thought_through("A"))
WORKING = approved("A")
CLOSED = after(WORKING, PAUSED, e.SessionClosed(AT, Outcome.COMPLETE))


@pytest.mark.covers("G5", "G11", "G12", "G13", "G23")
@pytest.mark.parametrize(
    ("session", "text", "means"),
    [
        (None, "Add a greeting", Understood.BEGIN),
        (ASKING, "1b", Understood.ANSWER),
        (ASKING, "", Understood.ANSWER),
        (ASKING, "ok", Understood.ANSWER),
        (after(ASKING, PAUSED), "b", Understood.ANSWER),
        (AWAITING, "run it", Understood.APPROVE),
        (AWAITING, "はい。", Understood.APPROVE),
        (AWAITING, "", Understood.APPROVE),
        (AWAITING, "yes, but without the flag", Understood.REJECT),
        (after(AWAITING, PAUSED), "go", Understood.APPROVE),
        (after(AWAITING, PAUSED), "No new file", Understood.REJECT),
        (surveyed(instructed()), "In French", Understood.SAY),
        (WORKING, "In French", Understood.SAY),
        (WORKING, "go", Understood.SAY),
        (after(WORKING, PAUSED), "", Understood.RESUME),
        (after(WORKING, PAUSED), "進めて", Understood.RESUME),
        (after(WORKING, PAUSED), "In French", Understood.SAY),
        (CLOSED, "And now in French", Understood.BEGIN),
        (CLOSED, "yes", Understood.BEGIN),
    ],
)
def test_the_same_words_mean_what_the_session_asks_for(session: Session | None, text: str, means: Understood) -> None:
    assert understood(text, session) is means
