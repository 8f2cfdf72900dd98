"""How bringing the result home changes a session."""

from collections.abc import Callable

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.inquiry import Merge
from toryo.domain.landing import Landing, LandingMode, PullRequest, RequestState
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED
from toryo.rules.landing import landing_in
from toryo.rules.taskbook import add_tasks, become

_WELL = {"failures": 0, "not_before": 0.0, "trouble": ""}


def after_pause(session: Session) -> SessionState:
    """Where a session goes on that is paused now: what a person wanted landed beforehand leaves it as it was."""
    is_partial = session.landing is not None and session.landing.is_partial
    return SessionState.EXECUTING if session.state is SessionState.LANDING and is_partial else session.state


def landing_begun(session: Session, event: e.LandingBegun) -> Session:
    """Anew, or going on with one that something came back from; then its requests are known already."""
    old = session.landing
    goes_on = old is not None and not old.is_over and old.mode is event.mode
    landing = Landing(
        mode=event.mode,
        target=event.target,
        squash=event.squash,
        when_green=event.when_green,
        is_partial=event.is_partial,
        by=event.by,
        requests=tuple(one for one in old.requests if not _is_closed(one)) if old and goes_on else (),
        rounds=old.rounds if old and goes_on else 0,
        earlier=_earlier(old),
    )
    rested = {"pause_reason": "", "waits_for_person": False, "outcome": None, "closed_at": None}
    session = become(session, SessionState.LANDING)
    return changed(session, landing=landing, taken_back=None, **rested, **_WELL)


def _earlier(old: Landing | None) -> tuple[Landing, ...]:
    if old is None:
        return ()
    return (*old.earlier, changed(old, earlier=())) if old.is_over else old.earlier


def brought_up_to_date(session: Session, event: e.BroughtUpToDate) -> Session:
    landing = _with(session, onto=event.onto, updated=event.commit)
    is_step = event.commit != session.tip
    merge = Merge(event.commit, event.tree)
    return changed(
        session,
        landing=landing,
        merges=session.merges.put(session.seq + 1, merge) if is_step else session.merges,
        tip=event.commit,
        tip_tree=event.tree,
        ground=event.onto,
        evidence=session.evidence + event.evidence,
        **_WELL,
    )


def update_conflicted(session: Session, event: e.UpdateConflicted) -> Session:
    rounds = landing_in(session).rounds + 1
    session = changed(session, landing=_with(session, onto=event.onto, updated="", rounds=rounds), **_WELL)
    return become(add_tasks(session, (event.resolution,)), SessionState.EXECUTING)


def target_moved(session: Session, _: e.TargetMoved) -> Session:
    return changed(session, landing=_with(session, onto="", updated=""), **_WELL)


def branch_pushed(session: Session, event: e.BranchPushed) -> Session:
    landing = landing_in(session)
    known = any(request.branch == event.branch for request in landing.requests)
    requests = landing.requests if known else (*landing.requests, PullRequest(event.branch, event.base, event.task))
    session = changed(session, landing=changed(landing, requests=requests), **_WELL)
    return _request_changed(session, event.branch, lambda one: changed(one, pushed=event.commit))


def request_opened(session: Session, event: e.RequestOpened) -> Session:
    session = changed(session, **_WELL)
    return _request_changed(session, event.branch, lambda one: changed(one, number=event.number, url=event.url))


def request_seen(session: Session, event: e.RequestSeen) -> Session:
    session = _request_changed(session, event.branch, lambda one: _seen(one, event))
    if not event.tasks:
        return session
    session = changed(session, landing=_with(session, rounds=landing_in(session).rounds + 1))
    return become(add_tasks(session, event.tasks), SessionState.EXECUTING)


def landed(session: Session, event: e.Landed) -> Session:
    tasks = tuple(task.number for task in session.tasks.values() if task.merge_commit and task.state in MERGED)
    earlier = landing_in(session).earlier
    # Found there once more, it is still one landing.
    before = event.before or next((one.before for one in earlier if _is_at(one, event)), "")
    where = {"commit": event.commit, "before": before, "tip": session.tip, "tasks": tasks}
    others = tuple(one for one in earlier if not _is_at(one, event))
    landing = _with(session, **where, landed_at=event.at, earlier=others)
    return changed(session, landing=landing, evidence=session.evidence + event.evidence, **_WELL)


def _is_at(landing: Landing, event: e.Landed) -> bool:
    return bool(event.commit) and landing.commit == event.commit


def landing_undone(session: Session, _: e.LandingUndone) -> Session:
    """The one under way is given up; else the last that was landed is taken back. Those before it stay."""
    landing = landing_in(session)
    undone, left = landing, landing.earlier
    if not landing.is_over and landing.mode is LandingMode.BRANCH and left:
        undone, left = left[-1], left[:-1]
    again = changed(left[-1], earlier=left[:-1]) if left else None
    # Without a landing there is none to go on with: it goes on with what is unfinished, if anything is.
    is_landing = session.resumes_to is SessionState.LANDING
    resumes_to = SessionState.EXECUTING if is_landing else session.resumes_to
    return changed(session, landing=again, taken_back=changed(undone, earlier=()), resumes_to=resumes_to)


def _seen(request: PullRequest, event: e.RequestSeen) -> PullRequest:
    heard = (*request.heard, *event.heard)
    return changed(request, state=event.state, heard=heard, merged_as=event.merged_as or request.merged_as)


def _is_closed(request: PullRequest) -> bool:
    """A person did not want it like that; landed again, there is a new one."""
    return request.state is RequestState.CLOSED


def _with(session: Session, **changes: object) -> Landing:
    return changed(landing_in(session), **changes)


def _request_changed(session: Session, branch: str, change: Callable[[PullRequest], PullRequest]) -> Session:
    landing = landing_in(session)
    requests = tuple(change(one) if one.branch == branch else one for one in landing.requests)
    return changed(session, landing=changed(landing, requests=requests))
