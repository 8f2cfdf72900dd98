"""What is to be done to bring a session's result home, one step at a time."""

from collections.abc import Iterator

from toryo.domain import effects as fx
from toryo.domain.facts import fact
from toryo.domain.intent import AUTONOMY
from toryo.domain.landing import Landing, LandingMode, PullRequest, RequestState
from toryo.domain.landing_events import LandingBegun
from toryo.domain.limits import Budget
from toryo.domain.plan import OnFailure
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules import patience
from toryo.rules.wholeness import checks_of_the_whole, is_proven

_PERSON = "a person"


@fact
class Head:
    """A branch that is to be pushed and asked to be pulled."""

    branch: str
    commit: str
    base: str
    task: int | None = None


def landing_in(session: Session) -> Landing:
    """The landing of a session that has one."""
    assert session.landing is not None, "nothing is being landed"
    return session.landing


def landing_of(session: Session, now: float) -> LandingBegun | None:
    """How a complete session goes on: with the landing that something came back from, else as it was opened to."""
    begun, terms = session.landing, session.terms
    if session.tip == session.base_commit:
        return None
    if begun is not None and not begun.is_over:
        return LandingBegun(now, begun.mode, begun.target, begun.squash, begun.when_green, by=begun.by)
    if terms.land is LandingMode.BRANCH:
        return None
    by = _PERSON if terms.land_asked else "the configuration"
    return LandingBegun(now, terms.land, session.base_branch, terms.squash, terms.when_green, by=by)


def why_left_on_its_branch(session: Session, *, is_autonomous: bool) -> str:
    """Why what no person let through is not merged, though the configuration says so; empty: nothing is against it.

    `is_autonomous`: Toryo may still do by itself what else a person does.
    """
    is_by_itself = session.pursuit is not None and session.pursuit.released_by == AUTONOMY
    if not is_by_itself or session.terms.land is not LandingMode.MERGE or _is_asked_for(session):
        return ""
    if not is_autonomous:
        return "autonomy was switched off meanwhile"
    if session.budget == Budget():
        return "its budget was taken away meanwhile"
    is_checked = any(check.on_failure is not OnFailure.WARN for check in checks_of_the_whole(session))
    return "" if session.terms.reviews or is_checked else "nobody but its agents has looked at it: no review, no check"


def _is_asked_for(session: Session) -> bool:
    """A person wants landed what is being landed."""
    landing = session.landing
    return landing is not None and not landing.is_over and landing.by == _PERSON


def ground_of(session: Session) -> str:
    """The commit that the work is a change to; empty where it goes on from work that is itself not landed yet."""
    earlier = session.planning.earlier if session.planning else None
    is_followed = earlier is not None and earlier.is_followed
    return session.ground or ("" if is_followed else session.base_commit)


def landing_steps(session: Session) -> Iterator[fx.Effect]:
    """The next step; nothing, while open pull requests are all there is."""
    landing = landing_in(session)
    if session.failures >= patience.ENOUGH:
        yield fx.HoldSession(session.seq, 0.0, session.trouble)
        return
    at = (session.seq, session.not_before)
    if landing.is_over or landing.mode is LandingMode.BRANCH:
        yield fx.FinishLanding(*at)
    elif landing.mode is not LandingMode.PR_PER_TASK and landing.updated != session.tip:
        yield fx.BringUpToDate(*at, session.tip)
    elif checks_of_the_whole(session) and session.proof_commit != session.tip:
        yield fx.ProveSession(*at, session.tip)
    elif not is_proven(session):
        yield fx.HandBack(*at, session.tip)
    elif landing.mode is LandingMode.MERGE:
        yield fx.LandOnTarget(*at, session.tip, landing.onto)
    else:
        yield from _requests(session, landing, at)


def _requests(session: Session, landing: Landing, at: tuple[int, float]) -> Iterator[fx.Effect]:
    known = {request.branch: request for request in landing.requests}
    for head in heads(session, landing):
        request = known.get(head.branch)
        if request is None or (request.state is RequestState.OPEN and request.pushed != head.commit):
            yield fx.PushBranch(*at, head.branch, head.commit)
            return
        if not request.number:
            yield fx.OpenRequest(*at, head.branch)
            return
    if not any(is_open(request) for request in landing.requests):
        yield fx.FinishLanding(*at)


def is_open(request: PullRequest) -> bool:
    return request.state is RequestState.OPEN


def heads(session: Session, landing: Landing) -> tuple[Head, ...]:
    """What is to be pulled: the session's branch, or those of its tasks, one stacked on the one it builds on."""
    if landing.mode is LandingMode.PR:
        return (Head(session.branch, session.tip, landing.target),)
    found: dict[str, Head] = {}
    for task in session.tasks.values():
        _with_bases(session, landing, task, found)
    return tuple(found.values())


def _with_bases(session: Session, landing: Landing, task: Task, found: dict[str, Head]) -> None:
    """What others build on comes first, wherever it stands in the plan."""
    branch = task.plan.branch
    if branch in found or not _comes_home(task):
        return
    base = _base(session, landing, task)
    for need in task.depends_on:
        if session.tasks[need].plan.branch == base:
            _with_bases(session, landing, session.tasks[need], found)
    found[branch] = Head(branch, work_of(session, task).commit, base, task.number)


def _comes_home(task: Task) -> bool:
    is_merged = task.state is TaskState.INTEGRATED and bool(task.merge_commit)
    return is_merged and task.resolves is None and not task.plan.mends


def work_of(session: Session, task: Task) -> Task:
    """Whose commit stands for the task: its own, or of those who mended or brought together what it did."""
    menders = [other for other in session.tasks.values() if other.plan.mends == task.plan.key and other.merge_commit]
    last = menders[-1] if menders else task
    return session.tasks[last.resolution] if last.resolution else last


def _base(session: Session, landing: Landing, task: Task) -> str:
    needs = [session.tasks[need] for need in task.depends_on]
    merged = [need for need in needs if _comes_home(need)]
    return merged[0].plan.branch if len(merged) == 1 else landing.target
