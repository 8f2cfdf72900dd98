"""What somebody is told who is there while sessions go on: what happened, what waits for them, how it stands."""

from collections.abc import Callable, Sequence

from toryo.domain import events as e
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.rules.assenting import goes_on_by_assent
from toryo.rules.judging import session_outcome
from toryo.views.budget import budget_words
from toryo.views.columns import clipped
from toryo.views.highlights import is_important, overview
from toryo.views.inbox import inbox
from toryo.views.inboxitems import Item
from toryo.views.moments import clock_time
from toryo.views.outcome import headline
from toryo.views.standing import rests_on_requests, standing_words, waits_for
from toryo.views.usage import short_count
from toryo.views.words import event_words

_MOST_AT_ONCE = 8
"""Lines of one session; where more happened in a moment, nobody reads them one by one."""
_MOST_SAID = 16
_LONGEST = 400

Mention = Callable[[str], str]
"""Puts the commands that Toryo's own words mention as they are typed where these are read."""


def tiding_lines(told: Sequence[tuple[Session, e.Event]]) -> list[str]:
    """What matters of what happened, a line each."""
    lines = [
        clipped(f"{clock_time(event.at)} {session.short}: {event_words(session, event)}", _LONGEST)
        for session, event in told
        if is_important(event) and not _is_told_at_rest(event)
    ]
    if len(lines) <= _MOST_AT_ONCE:
        return lines
    short, more = told[-1][0].short, len(lines) - _MOST_AT_ONCE + 1
    return [f"… {more} more: /logs {short}", *lines[1 - _MOST_AT_ONCE :]]


def _is_told_at_rest(event: e.Event) -> bool:
    return isinstance(event, e.SessionClosed | e.QuestionsAsked)


# ── coming to rest ───────────────────────────────────────────────────────────


def rest_lines(before: Session | None, session: Session, mention: Mention, root: str = "") -> list[str]:
    """That it has come to rest, why, and what to type; nothing where it goes on, or had before."""
    rest = _rest_of(session)
    if rest is None or (before is not None and _rest_of(before) == rest):
        return []
    return _said_at_rest(session, mention, root)


def _rest_of(session: Session) -> object:
    """What it rests on; None: it goes on, or somebody has stopped it and knows."""
    if session.queued_at is not None or goes_on_by_assent(session):
        return None
    if session.state is SessionState.CLOSED:
        return session.outcome, session.is_landed
    if rests_on_requests(session):
        return "requests"
    waits = waits_for(session)
    return (waits, session.pause_reason, [item.says for item in inbox(session)]) if waits else None


def _said_at_rest(session: Session, mention: Mention, root: str) -> list[str]:
    title = f"session {session.short} ({clipped(session.title, 60)})"
    if session.state is SessionState.CLOSED or rests_on_requests(session):
        said = headline(session, session_outcome(session))
        return [f"{title} is {'closed' if session.state is SessionState.CLOSED else 'landing'}: {said}", _next(session)]
    asks = {"answers": "waits for your answers", "approval": "waits for your approval"}
    items = inbox(session, root)
    what = asks.get(waits_for(session) or "", f"waits for you: {mention(session.pause_reason)}")
    return [f"{title} {what}", *(line for item in items for line in _item_lines(item, mention))][:_MOST_SAID]


def _item_lines(item: Item, mention: Mention) -> list[str]:
    about = f"{item.task}: " if item.task else ""
    says = [f"  {about}{line}" for line in item.says.splitlines()]
    return [*says, f"  → {mention(item.do)}", *(f"      {mention(command)}" for command in item.commands)]


def _next(session: Session) -> str:
    short = session.short
    if session.outcome is Outcome.COMPLETE and not session.is_landed:
        return f"  → /report {short}, /diff {short}; /land {short} --merge brings it home"
    return f"  → /report {short}, /tasks {short}"


# ── how it stands ────────────────────────────────────────────────────────────


def bar_words(session: Session | None, queued: int, *, is_conducted: bool, now: float, resume: str = "") -> list[str]:
    """What is being worked on, in a few words each, the most important first; `resume` says how to go on with it."""
    waiting = [f"{queued} queued"] if queued else []
    if session is None:
        return ["nothing is being worked on", *waiting]
    parts = [f"{session.short} {clipped(session.title, 30)}", _stands(session, is_conducted, resume), *waiting]
    if session.calls:
        parts.append(f"{session.calls} call{'s' if session.calls > 1 else ''}")
    if tokens := session.usage.tokens + session.call_usage.tokens:
        parts.append(f"{short_count(tokens)} tokens")
    if limited := budget_words(session, now):
        parts.append(f"used {limited}")
    return parts


def _stands(session: Session, is_conducted: bool, resume: str) -> str:
    waits = waits_for(session)
    if waits or session.state in (SessionState.PAUSED, SessionState.CLOSED) or session.queued_at is not None:
        words = standing_words(session.state, waits, session.queued_at)
        return words if not session.tasks else f"{words}, {_done(session)}"
    if not is_conducted:
        return f"nobody works on it: {resume or f'/resume {session.short}'}"
    return _done(session) if session.tasks else session.state.value


def _done(session: Session) -> str:
    """The first two things that the line about a whole session says; what it has used has its own place."""
    return ", ".join(overview(session, with_usage=False).split(", ")[:2])
