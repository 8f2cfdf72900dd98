"""How working on an intent changes a session: what a model made of it, and who let it be carried out."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.intent import AnalysisEnd, Pursuit
from toryo.domain.plan import Assent
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.rules.evolve_planning import asked, counted
from toryo.rules.flows import APPROVE
from toryo.rules.taskbook import become


def opened(event: e.SessionOpened) -> Pursuit | None:
    return Pursuit(event.intent, event.intent_type, event.intent_risk) if event.intent else None


def intent_analysed(session: Session, event: e.IntentAnalysed) -> Session:
    """Questions have to be answered before it is asked again; else it is known what has to be known."""
    analysis = event.analysis
    is_asked = analysis.end is not AnalysisEnd.QUESTIONS
    session = counted(session, event.calls)
    if session.planning is not None:  # else its plan was there before it
        title, follows = analysis.title, analysis.follows
        session = asked(session, analysis.questions, event.talk, title, follows=follows, is_all=is_asked)
    if is_asked and APPROVE in event.flow.steps and session.terms.assent is Assent.PLAN:
        # Said before it was known how risky this is; what a person agrees to from now on counts.
        session = changed(session, terms=changed(session.terms, assent=Assent.DEFAULTS))
    return _pursued(session, analysis=analysis, flow=event.flow, analyses=_of(session).analyses + 1)


def intent_released(session: Session, event: e.IntentReleased) -> Session:
    """Nothing has begun yet, so it may as well begin from where the branch is by now."""
    session = _pursued(session, released_by=event.by)
    is_followed = session.planning is not None and session.planning.earlier and session.planning.earlier.is_followed
    if not event.base_commit or session.tasks or is_followed:
        return session
    base, tree = event.base_commit, event.base_tree
    return changed(session, base_commit=base, base_tree=tree, tip=base, tip_tree=tree)


def intents_filed(session: Session, event: e.IntentsFiled) -> Session:
    """Where others take its place there is nothing left to do; what an audit found is only a part of its end."""
    session = _pursued(session, filed=event.intents, findings=event.findings)
    if session.state is not SessionState.PLANNING:
        return session
    return become(session, SessionState.CLOSED, outcome=Outcome.COMPLETE, closed_at=event.at, queued_at=None, turn=None)


def _of(session: Session) -> Pursuit:
    if session.pursuit is None:
        raise e.UnknownEvent("a session without an intent has nothing to analyse")
    return session.pursuit


def _pursued(session: Session, **changes: Any) -> Session:
    return changed(session, pursuit=changed(_of(session), **changes), failures=0, not_before=0.0)
