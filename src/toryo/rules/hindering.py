"""What keeps an intent from beginning, as its file says it."""

from toryo.domain.changing import changed
from toryo.domain.intent import Intent, IntentStatus

_MAY_YET_BEGIN = (IntentStatus.APPROVED, IntentStatus.EXECUTING, IntentStatus.PROPOSED)
_CANNOT_BEGIN = "cannot begin: "
"""How the reason in a file begins where whoever watches could not take the intent up."""


def hindered(intent: Intent, why: str) -> Intent:
    """With what keeps it from beginning in its file."""
    return changed(intent, reason=f"{_CANNOT_BEGIN}{why}")


def hindrance(intent: Intent) -> str:
    """What kept it from beginning, or from being looked into, when that was last tried; empty: nothing did."""
    is_hindered = intent.status in _MAY_YET_BEGIN and intent.reason.startswith(_CANNOT_BEGIN)
    return intent.reason.removeprefix(_CANNOT_BEGIN) if is_hindered else ""
