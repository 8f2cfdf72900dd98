"""What happens, as short lines of a conversation, in the same words as everywhere."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.review import Remedy
from toryo.domain.session import Session
from toryo.domain.verdict import Disposition
from toryo.views.columns import clipped
from toryo.views.entries import Entry, Kind, Who
from toryo.views.highlights import is_important, overview
from toryo.views.words import event_words

_LONGEST = 400
_ALSO_TOLD = (e.FoundChanged, e.IntentAnalysed, e.IntentReleased, e.IntentsFiled, e.TaskRetried, e.TaskApproved)
"""Somebody decided it here, or did it elsewhere: whoever talks about the work wants to hear of it."""
_NEEDS_SOMEBODY = (
    *(e.TaskBlocked, e.WorkspaceRefused, e.RunWaited, e.RunStalled, e.RunLost, e.CulpritParked, e.EffectFailed),
    *(e.UpdateConflicted, e.FoundChanged, e.CallPostponed),
)
_FINISHED = (e.TaskIntegrated, e.Landed, e.RequestOpened, e.PlanApproved)


def step(session: Session, event: e.Event) -> Entry | None:
    """A line about it; None: it says nothing to somebody who only talks."""
    if not is_important(event) and not isinstance(event, _ALSO_TOLD):
        return None
    words = event_words(session, event).strip()
    if not words:
        return None
    return Entry(
        entry_id(session), event.at, Who.TORYO, _kind(event), clipped(words, _LONGEST), task=_task(session, event)
    )


def _task(session: Session, event: Any) -> str:
    """The key of the task it is about; empty: of none, or of several."""
    number = getattr(event, "task", None)
    return session.tasks[number].plan.key if isinstance(number, int) and number in session.tasks else ""


def entry_id(session: Session) -> str:
    return f"{session.short}-{session.seq}"


def _kind(event: Any) -> Kind:
    match event:
        case e.VerdictReached(verdict=verdict):
            needs_somebody = verdict.disposition in (Disposition.BLOCK, Disposition.POSTPONE)
            return Kind.TROUBLE if needs_somebody else Kind.PROGRESS
        case e.MergeRefused(disposition=disposition):
            return Kind.TROUBLE if disposition is Disposition.BLOCK else Kind.PROGRESS
        case e.TaskReconsidered(remedy=remedy):
            return Kind.TROUBLE if remedy is Remedy.ASK else Kind.PROGRESS
        case e.SessionProven(results=results):
            passed = all(result.status is CheckStatus.PASSED for result in results)
            return Kind.DONE if passed else Kind.TROUBLE
    if isinstance(event, _NEEDS_SOMEBODY):
        return Kind.TROUBLE
    return Kind.DONE if isinstance(event, _FINISHED) else Kind.PROGRESS


def overview_entry(session: Session, now: float) -> Entry:
    """How it stands in one line, for every other minute while agents work; each takes the place of the one before."""
    return Entry(f"{session.short}-overview", now, Who.TORYO, Kind.PROGRESS, overview(session))
