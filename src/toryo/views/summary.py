"""A session in a few numbers, stored beside the journal so that lists need not fold everything."""

from typing import Any

from toryo.domain.session import Session
from toryo.rules.risks import risk_of
from toryo.views.standing import waits_for

SHAPE = 6
"""Raise it when the summary changes; older ones are then made anew."""


def summary(session: Session) -> dict[str, Any]:
    pursuit = session.pursuit
    risk = risk_of(pursuit)
    return {
        "shape": SHAPE,
        "id": session.id,
        "title": session.title,
        "state": session.state.value,
        "outcome": session.outcome.value if session.outcome else None,
        "landed": session.is_landed,
        "waits_for_person": session.waits_for_person,
        "waits_for": waits_for(session),
        "pause_reason": session.pause_reason,
        "base_branch": session.base_branch,
        "branch": session.branch,
        "opened_at": session.opened_at,
        "updated_at": session.updated_at,
        "closed_at": session.closed_at,
        "queued_at": session.queued_at,
        "turn": session.queued_at if session.turn is None else session.turn,
        "intent": pursuit.intent if pursuit else None,
        "released_by": (pursuit.released_by or None) if pursuit else None,
        "risk": risk.value if risk else None,
        "risk_why": (pursuit.analysis.why or None) if pursuit and pursuit.analysis else None,
        "tasks": {state.value: count for state, count in session.counts.items() if count},
    }
