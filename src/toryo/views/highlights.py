"""What matters most of a session's events, and a session in one line."""

import time

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.review import Opinion
from toryo.domain.session import Session, SessionState
from toryo.domain.task import SETTLED, TaskState
from toryo.domain.verdict import Disposition
from toryo.views.budget import budget_words
from toryo.views.landingwords import landing_words
from toryo.views.planningwords import calls_words
from toryo.views.usage import usage_words
from toryo.views.words import pause_words

OVERVIEW_EVERY = 120.0
"""Seconds after which somebody who watches is told how the whole stands."""


def is_important(event: e.Event) -> bool:
    """Worth a line of its own to somebody who looks only now and then."""
    match event:
        case e.VerdictReached(verdict=verdict):
            is_warned = any(reason.startswith("warning:") for reason in verdict.reasons)
            return verdict.disposition is not Disposition.ACCEPT or is_warned
        case e.CheckFinished(result=result):
            return result.status is not CheckStatus.PASSED
        case e.RunPlanned() | e.TaskIntegrated() | e.MergeRefused() | e.TaskBlocked() | e.WorkspaceRefused():
            return True
        case e.RunWaited() | e.RunStalled() | e.RunWentOn() | e.PauseLifted() | e.TaskReassigned():
            return True
        case e.BasesConflicted() | e.RunLost() | e.RunStopped() | e.EffectFailed() | e.WorkspaceKept():
            return True
        case e.RepositorySurveyed() | e.QuestionsAsked() | e.DocumentWritten() | e.TasksDrafted() | e.DraftScored():
            return True
        case (
            e.PlanProposed()
            | e.PlanEdited()
            | e.PlanApproved()
            | e.PlanRejected()
            | e.CallPostponed()
            | e.TalkCompacted()
        ):
            return True
        case e.WishAdded() | e.PersonSaid() | e.WordsTakenIn() | e.SayingConsidered():
            return True
        case e.SessionJudged() | e.TaskReconsidered():
            return True
        case e.WorkReviewed(review=review):
            return review.opinion is not Opinion.APPROVED
        case e.SessionPaused() | e.SessionResumed() | e.SessionProven() | e.SessionClosed():
            return True
        case e.MergeBisected() | e.CulpritParked() | e.MergesTakenBack() | e.CollisionsForeseen() | e.TaskSetAside():
            return True
        case e.ParallelChanged() | e.BudgetChanged():
            return True
        case e.LandingBegun() | e.BroughtUpToDate() | e.UpdateConflicted() | e.TargetMoved() | e.BranchPushed():
            return True
        case e.RequestOpened() | e.RequestSeen() | e.Landed() | e.LandingUndone():
            return True
        case _:
            return False


def overview(session: Session, *, with_usage: bool = True) -> str:
    """The whole session in one line; what it has used comes last."""
    if session.state is SessionState.PLANNING:
        return _planning_words(session, with_usage)
    if session.state is SessionState.LANDING:
        return landing_words(session)
    done = session.count(*SETTLED)
    parts = [f"{done} of {len(session.tasks)} done"]
    shown = (TaskState.RUNNING, TaskState.CHECKING, TaskState.ACCEPTED, TaskState.BLOCKED)
    parts += [f"{session.count(state)} {state}" for state in shown if session.count(state)]
    if session.waiting:
        parts.append(f"{len(session.waiting)} waiting for an answer")
    parts += [f"{name} {pause_words(pause)}" for name, pause in session.pauses.items()]
    if not with_usage:
        return ", ".join(parts)
    if spent := usage_words(session.usage):
        parts.append(spent)
    if thought := calls_words(session.calls, session.call_usage, session.has_estimates):
        parts.append(thought)
    if limited := budget_words(session, time.time()):
        parts.append(f"used {limited}")
    return ", ".join(parts)


def _planning_words(session: Session, with_usage: bool) -> str:
    parts = ["planning", *(f"{name} {pause_words(pause)}" for name, pause in session.pauses.items())]
    if not with_usage:
        return ", ".join(parts)
    thought = calls_words(session.calls, session.call_usage, session.has_estimates)
    limited = budget_words(session, time.time())
    return ", ".join([*parts, *([thought] if thought else []), *([f"used {limited}"] if limited else [])])
