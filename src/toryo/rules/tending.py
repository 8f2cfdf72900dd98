"""What is to be done next about an intent, and if nothing is, what it waits for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from toryo.domain.intent import AUTONOMY, Intent, IntentStatus, Pursuit, Risk
from toryo.domain.planning import Answer
from toryo.domain.session import Session, SessionState, short_of
from toryo.rules.autonomy import Policy, judged_risk, may_turn_out_harmless, why_not_by_itself
from toryo.rules.hindering import hindrance
from toryo.rules.planning import needs_release
from toryo.rules.reconciling import as_asked, is_sent_round_again, is_stuck
from toryo.rules.resting import rests

WATCH_ENDED = "toryo watch was ended"
"""Why a session was paused that whoever watches next goes on with."""
_TOLD_TO_END = (WATCH_ENDED, "interrupted", "interrupted (SIGTERM)", "interrupted (SIGHUP)")
"""What a machine does that goes down; a person says stop."""
_WANTED = (IntentStatus.APPROVED, IntentStatus.EXECUTING)


class Step(StrEnum):
    """What to do about an intent."""

    OPEN = "open"
    """The session that works on it, or first finds out what it comes to."""
    RELEASE = "release"
    """What it comes to is known, and it may be carried out."""
    ANSWER = "answer"
    """Questions of its session are answered in its file."""
    RETRY = "retry"
    """A person wants once more what failed."""
    RESUME = "resume"
    """It was only paused because whoever watched ended."""
    GO_ON = "go on"
    """Nobody conducts its session, which rests on nothing."""
    DISCARD = "discard"
    """It was rejected, and its session is still open."""
    NOTHING = "nothing"

    @property
    def takes_a_turn(self) -> bool:
        """Work begins with it, so it waits until no other is at work."""
        return self not in (Step.ANSWER, Step.DISCARD, Step.NOTHING)

    @property
    def comes_first(self) -> bool:
        """What was at work already goes on before anything new."""
        return self in (Step.GO_ON, Step.RESUME)


def next_step(intent: Intent, session: Session | None, policy: Policy, *, is_attended: bool) -> Step:
    """`is_attended`: somebody conducts the session right now."""
    if session is None:
        return Step.OPEN if _may_open(intent, policy) else Step.NOTHING
    if intent.status is IntentStatus.REJECTED:
        return Step.NOTHING if session.state is SessionState.CLOSED else Step.DISCARD
    if is_sent_round_again(intent, session):
        return Step.RETRY
    if session.state is SessionState.CLOSED or session.queued_at is not None:
        return Step.NOTHING
    if session.state is SessionState.PAUSED:
        was_told = session.pause_reason in _TOLD_TO_END and not session.waits_for_person
        return Step.RESUME if was_told and not is_attended else Step.NOTHING
    if answers_in(intent, session):
        return Step.ANSWER
    if needs_release(session):
        return Step.RELEASE if who_releases(intent, session, policy) else Step.NOTHING
    return Step.NOTHING if is_attended or rests(session) else Step.GO_ON


def _may_open(intent: Intent, policy: Policy) -> bool:
    """Approved, or worth asking a model about: its risk or type is not known, or it might run by itself."""
    if intent.session:
        return intent.status in (*_WANTED, IntentStatus.PROPOSED)  # whoever was about to open it was interrupted
    if intent.needs_clarification:
        return False
    is_proposed = intent.status is IntentStatus.PROPOSED
    return intent.status is IntentStatus.APPROVED or (is_proposed and is_worth_asking_about(intent, policy))


def is_worth_asking_about(intent: Intent, policy: Policy) -> bool:
    return intent.risk is None or not intent.type or may_turn_out_harmless(intent, policy)


def who_releases(intent: Intent, session: Session, policy: Policy) -> str:
    """A person, who approved it; or the rules of autonomy. Empty: nobody."""
    if intent.status in _WANTED:
        return "" if intent.needs_clarification else "a person"
    is_proposed = intent.status is IntentStatus.PROPOSED
    return AUTONOMY if is_proposed and not why_not_by_itself(intent, judged_in(session), policy) else ""


def judged_in(session: Session | None) -> Risk | None:
    """The risk as the model judges it."""
    return risk_judged(session.pursuit) if session else None


def risk_judged(pursuit: Pursuit | None) -> Risk | None:
    return pursuit.analysis.risk if pursuit and pursuit.analysis else None


def counting_risk(intent: Intent, session: Session) -> Risk | None:
    return judged_risk(intent.risk, judged_in(session))


def answers_in(intent: Intent, session: Session) -> tuple[Answer, ...]:
    """What the file says to questions that are still open in the session."""
    if session.planning is None:
        return ()
    said = {as_asked(one.question): one.answer for one in intent.clarifications if one.answer}
    asked = session.planning.open_questions
    return tuple(Answer(one.text, said[as_asked(one.text)]) for one in asked if as_asked(one.text) in said)


# ── whose session it is ──────────────────────────────────────────────────────


# ── in words ─────────────────────────────────────────────────────────────────


def why_it_waits(intent: Intent, row: Mapping[str, Any] | None, policy: Policy) -> str:
    """What it waits for, in words that end a sentence; empty: for nothing, it is settled. `row`: of its session."""
    if not intent.status.is_open:
        return ""
    if row is None or row["state"] == SessionState.CLOSED:
        return _before_a_session(intent, policy)
    if words := _at_rest(row):
        return words
    if row["waits_for"] == "release" and intent.status is IntentStatus.PROPOSED:
        judged = Risk(row["risk"]) if row.get("risk") else None
        why = why_not_by_itself(intent, judged, policy)
        return f"waits for your approval: {why}" if why else "waits for its turn"
    if row["waits_for"] == "release" or row["queued_at"] is not None:
        return "waits for its turn"
    return f"session {short_of(row['id'])} works on it"


def _before_a_session(intent: Intent, policy: Policy) -> str:
    if intent.status.is_failed:
        return "waits for your decision"
    if intent.needs_clarification:
        return "waits for your answers"
    if intent.status is IntentStatus.PROPOSED and not is_worth_asking_about(intent, policy):
        return f"waits for your approval: {why_not_by_itself(intent, None, policy)}"
    if hindrance(intent):
        return intent.reason
    if intent.status is IntentStatus.EXECUTING:
        return intent.reason or "waits for its parts"
    return "waits for its turn" + (f": {intent.reason}" if intent.reason else "")


def _at_rest(row: Mapping[str, Any]) -> str:
    short = short_of(row["id"])
    match row["waits_for"]:
        case "answers":
            return "waits for your answers"
        case "approval":
            return f"the plan of session {short} waits for your approval"
        case "person":
            return f"session {short} waits for you: {row['pause_reason']}"
    return f"session {short} is paused: {row['pause_reason']}" if row["state"] == SessionState.PAUSED else ""


def is_over_for_now(session: Session) -> bool:
    """Nothing comes of it by itself any more."""
    return session.state is SessionState.CLOSED or is_stuck(session)
