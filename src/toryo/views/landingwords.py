"""Landing in words for people."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.landing import Landing, LandingMode, RequestState
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED
from toryo.domain.verdict import Outcome
from toryo.rules.judging import is_counted, session_outcome

_MOST_MISSING = 5
_HOW = {
    LandingMode.BRANCH: "left on its branch",
    LandingMode.MERGE: "to be merged into {target}",
    LandingMode.PR: "to become a pull request into {target}",
    LandingMode.PR_PER_TASK: "to become pull requests into {target}, one per task",
}


def say_landing(event: Any) -> str:
    """The event as a line of the session's log; empty: it is none of landing."""
    match event:
        case e.LandingBegun():
            squashed = ", as one commit" if event.squash else ""
            partly = ", as far as it is merged" if event.is_partial else ""
            by = f" (by {event.by})" if event.by else ""
            return f"landing: {_HOW[event.mode].format(target=event.target)}{squashed}{partly}{by}"
        case e.BroughtUpToDate() if event.evidence:
            return f"brought up to date with {event.onto[:8]}, now at {event.commit[:8]}"
        case e.BroughtUpToDate():
            return f"up to date with {event.onto[:8]}"
        case e.UpdateConflicted() if event.files:
            files = ", ".join(event.files)
            return f"conflicts with what came meanwhile, in {files}: {event.resolution.key} settles that"
        case e.UpdateConflicted():
            return f"the checks do not pass together with what came meanwhile: {event.resolution.key} mends that"
        case e.TargetMoved():
            return f"somebody moved the target to {event.commit[:8]} meanwhile: brought up to date once more"
        case e.BranchPushed():
            return f"pushed {event.branch} at {event.commit[:8]}"
        case e.RequestOpened():
            return f"pull request {event.number} of {event.branch}: {event.url}"
        case e.RequestSeen():
            return _say_request(event)
        case e.Landed() if event.commit and not event.before:
            return f"landed: the target holds it, as of {event.commit[:8]}"
        case e.Landed():
            return f"landed as {event.commit[:8]}" if event.commit else "landed: its pull requests are merged"
        case e.LandingUndone():
            return f"landing undone by {event.by}"
        case _:
            return ""


def _say_request(event: e.RequestSeen) -> str:
    keys = ", ".join(task.key for task in event.tasks)
    taken_up = f"; {keys} settles what it came back with" if keys else ""
    notes = "".join(f"\n  {note}" for note in event.notes)
    return f"the pull request of {event.branch} is {event.state}{taken_up}{notes}"


def landing_words(session: Session) -> str:
    """How far landing has come, at a glance; empty: nothing is landed."""
    landing = session.landing
    if landing is None:
        return ""
    last = _landed(session, landing.last) if landing.last else ""
    if landing.is_over or landing.mode is LandingMode.BRANCH:
        return last
    if session.state is SessionState.CLOSED:
        return _given_up(landing) or last
    if opened := [request for request in landing.requests if request.state is RequestState.OPEN and request.number]:
        return f"waits for pull request{'s' if len(opened) > 1 else ''} " + ", ".join(one.url for one in opened)
    return f"being landed on {landing.target}"


def is_landed_in_part(session: Session) -> bool:
    """Something of it is landed, and not all that it is to be."""
    landed = session.landing.last if session.landing else None
    return landed is not None and (landed.tip != session.tip or session_outcome(session) is not Outcome.COMPLETE)


def not_landed(session: Session) -> list[str]:
    """The tasks whose work is still to come, by key."""
    landed = session.landing.last if session.landing else None
    if landed is None or not is_landed_in_part(session):
        return []
    tasks = [task for task in session.tasks.values() if is_counted(session, task) and task.number not in landed.tasks]
    return [task.plan.key for task in tasks if task.merge_commit or task.state not in MERGED]


def _landed(session: Session, landing: Landing) -> str:
    as_commit = f" as {landing.commit[:8]}" if landing.commit else ""
    if is_landed_in_part(session):
        missing = not_landed(session)
        more = f" and {len(missing) - _MOST_MISSING} more" if len(missing) > _MOST_MISSING else ""
        listed = f", not yet: {', '.join(missing[:_MOST_MISSING])}{more}" if missing else ""
        return f"landed in part on {landing.target}{as_commit}{listed}"
    if landing.commit and not landing.before and not landing.requests:
        return f"on {landing.target} already, as of {landing.commit[:8]}"
    return f"landed on {landing.target}{as_commit}"


def undone_words(session: Session) -> str:
    """What a person took back; empty: nothing, or it was landed again since."""
    undone = session.taken_back
    if undone is None:
        return ""
    what = f"landed on {undone.target} as {undone.commit[:8]}" if undone.commit else f"to be landed on {undone.target}"
    return f"undone; it was {what}"


def _given_up(landing: Landing) -> str:
    closed = [str(request.number) for request in landing.requests if request.state is RequestState.CLOSED]
    return f"not landed: pull request {', '.join(closed)} was closed" if closed else ""


def landing_row(session: Session) -> dict[str, Any] | None:
    """The same as plain data."""
    landing = session.landing
    if landing is None:
        return None
    return {
        "mode": landing.mode.value,
        "target": landing.target,
        "squash": landing.squash,
        "partial": landing.is_partial,
        "by": landing.by,
        "commit": landing.commit or None,
        "before": landing.before or None,
        "landed_at": landing.landed_at or None,
        "in_part": is_landed_in_part(session),
        "not_landed": not_landed(session),
        "earlier": [
            {"commit": one.commit or None, "before": one.before or None, "landed_at": one.landed_at}
            for one in landing.earlier
        ],
        "requests": [
            {
                "branch": one.branch,
                "base": one.base,
                "task": session.tasks[one.task].plan.key if one.task else None,
                "number": one.number or None,
                "url": one.url or None,
                "state": one.state.value,
            }
            for one in landing.requests
        ],
    }
