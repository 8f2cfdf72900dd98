"""Whether anything more comes of a session by itself."""

from toryo.domain.session import Session
from toryo.rules.assenting import goes_on_by_assent
from toryo.rules.playbook import next_effects


def rests(session: Session) -> bool:
    """Whoever conducts would find nothing to do: it is over, paused, or waits for what only others can give."""
    return session.queued_at is None and not next_effects(session) and not goes_on_by_assent(session)
