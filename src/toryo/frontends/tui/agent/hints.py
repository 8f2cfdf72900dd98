"""What Enter does now, in words above what is typed."""

from toryo.domain.session import Session, SessionState
from toryo.views.entries import Entry, Kind

_WANTED = "what do you want? · Enter sends · Ctrl+J new line"


def enter_words(session: Session | None, waiting: Entry | None, *, is_new: bool, is_stopping: bool) -> str:
    if is_new:
        return "a new instruction · Enter begins it · Esc leaves it"
    if is_stopping:
        return "stopping the agents …"
    if waiting is not None and waiting.kind is Kind.QUESTIONS:
        return "Enter takes what is marked (●) · ↑ chooses · or type 1b 2a, or own words"
    if waiting is not None:
        return "Enter or y approves it all · ↑ reads · or say what should be different"
    if session is None:
        return _WANTED
    match session.state:
        case SessionState.CLOSED | SessionState.LANDING:
            return "what next? · Enter sends · Ctrl+J new line"
        case SessionState.PAUSED:
            return f"{session.short} is paused · Enter goes on · or say something · Ctrl+N anew"
        case SessionState.PLANNING:
            return f"{session.short} is being planned · say something · Ctrl+N anew · Esc stops"
        case _:
            return f"{session.short} is at work · say something · Ctrl+N anew · Esc stops"
