"""A person brings a session's result home: whether that can be done now, and how."""

import time
from itertools import islice

from toryo.adapters.settings import Settings
from toryo.app.autonomy import refuse_unless_autonomous
from toryo.app.configuration import settings_of
from toryo.app.project import Project
from toryo.app.requests import has_requests_to_wait_for, refuse_unless_ready
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.landing import LandingMode, RequestState
from toryo.domain.session import Session, SessionState
from toryo.domain.task import MERGED, Task
from toryo.domain.verdict import Outcome
from toryo.engine.performers.concluding import waiting_for_person
from toryo.rules.judging import is_counted, session_outcome
from toryo.views.standing import is_landing
from toryo.views.words import state_words

_MOST_LISTED = 10
_MOST_OTHERS = 5
_NOT_DONE = (SessionState.PLANNING, SessionState.AWAITING_APPROVAL)


@fact
class Wish:
    """How somebody wants it landed; None: as the configuration says."""

    mode: LandingMode | None = None
    squash: bool | None = None
    when_green: bool | None = None
    is_partial: bool = False


def others_to_land(project: Project, session: Session) -> list[Session]:
    """The latest of those that are complete as well, and on their branches still."""
    rows = [row for row in project.summaries() if row["outcome"] == Outcome.COMPLETE and not row["landed"]]
    others = (project.load(row["id"]) for row in rows if row["id"] != session.id)
    return list(islice((other for other in others if other.tip != other.base_commit), _MOST_OTHERS))


def is_there_already(session: Session, wish: Wish) -> bool:
    """All of it that could be landed now."""
    is_wanted = session.state is SessionState.CLOSED or (wish.is_partial and session.state is SessionState.PAUSED)
    return session.is_landed and is_wanted and not is_landing(session)


def goes_on_waiting(session: Session, mode: str | None, squash: bool | None, when_green: bool | None) -> bool:
    """Whoever asks for nothing else than what is under way only wants to watch it."""
    landing = session.landing
    if landing is None or not has_requests_to_wait_for(session):
        return False
    return mode in (None, landing.mode.value) and squash in (None, landing.squash) and not when_green


def taken_up_again(project: Project, session: Session) -> Session:
    """One that a person had to look at goes on as it was, with a look at its requests first."""
    return project.append(session, e.SessionResumed(time.time()))


def mode_of(project: Project, wish: Wish) -> LandingMode:
    return wish.mode or settings_of(project).run.land


def begin_landing(project: Project, session: Session, wish: Wish) -> Session:
    """Records that it is to be landed; refuses what cannot be, having changed nothing."""
    if is_landing(session) and session.landing and session.landing.is_over:
        return project.append(session, e.SessionResumed(time.time()))  # cut short when all but the clearing was done
    mode = mode_of(project, wish)
    if mode is not LandingMode.BRANCH:
        _refuse(session, wish, mode)
        if mode.has_requests:
            refuse_unless_ready(project)
    elif not is_landing(session) or session_outcome(session) is not Outcome.COMPLETE:
        return _left_on_its_branch(project, session)
    land = settings_of(project)
    is_partial = wish.is_partial and session_outcome(session) is not Outcome.COMPLETE
    now = time.time()
    begun = e.LandingBegun(
        now,
        mode,
        session.base_branch,
        squash=land.land.squash if wish.squash is None else wish.squash,
        when_green=_when_green(land, session, wish, mode),
        is_partial=is_partial,
        by="a person",
    )
    if _is_begun(session, begun):
        return project.append(session, e.SessionResumed(now))
    if session.state is SessionState.LANDING:
        # Another way than the one that was begun.
        session = project.append(session, e.SessionPaused(now, "to be landed another way"))
    decided = project.decide(session, begun)
    if decided is None:
        raise ToryoError(
            "E230",
            f"session {session.short} is {project.load(session.id).state} by now, and cannot be landed like this",
            hint=f"'toryo info {session.short}' shows how it stands",
            exit_code=Exit.REFUSED,
        )
    return decided


def _left_on_its_branch(project: Project, session: Session) -> Session:
    """What is not complete is not closed for that: it waits as it did, and is only no longer being landed."""
    is_at_rest = session.state in (SessionState.PAUSED, SessionState.LANDING)
    is_under_way = session.landing is not None and not session.landing.is_over
    return left_paused(project, session) if is_at_rest and is_under_way else session


def left_paused(project: Project, session: Session) -> Session:
    """Landing is given up; what is unfinished waits for a person, as it did before."""
    now = time.time()
    waits = e.SessionPaused(now, waiting_for_person(session), waits_for_person=True)
    return project.append(session, e.SessionResumed(now), waits, e.LandingUndone(now, "a person"))


def _is_begun(session: Session, wanted: e.LandingBegun) -> bool:
    """It is being landed in just this way, or was until that had to wait."""
    state = session.resumes_to if session.state is SessionState.PAUSED else session.state
    landing = session.landing
    if landing is None or landing.is_over or state is not SessionState.LANDING:
        return False
    if any(request.state is RequestState.CLOSED for request in landing.requests):
        return False  # somebody closed one: wanted after all, it is opened anew
    return all(
        getattr(landing, name) == getattr(wanted, name) for name in ("mode", "squash", "when_green", "is_partial")
    )


def _when_green(settings: Settings, session: Session, wish: Wish, mode: LandingMode) -> bool:
    """Asked for, it is refused where a switch is missing; configured, likewise."""
    is_wanted = settings.land.when_green if wish.when_green is None else wish.when_green
    if not is_wanted or not mode.has_requests:
        return False
    refuse_unless_autonomous(settings, session.budget)
    return True


def is_discarded(session: Session) -> bool:
    return session.state is SessionState.CLOSED and session.outcome is not Outcome.COMPLETE


def _refuse(session: Session, wish: Wish, mode: LandingMode) -> None:
    short = session.short
    if is_discarded(session):
        raise ToryoError(
            "E231",
            f"session {short} was discarded",
            hint=f"what it had merged is on {session.branch}, if you want it: git merge {session.branch}",
            exit_code=Exit.REFUSED,
        )
    if session.tip == session.base_commit:
        raise ToryoError(
            "E232",
            f"session {short} has nothing to land: nothing is merged on {session.branch}",
            hint=f"'toryo info {short}' shows how its tasks stand",
            exit_code=Exit.REFUSED,
        )
    if session_outcome(session) is Outcome.COMPLETE:
        return
    if session.state is SessionState.LANDING or session.resumes_to is SessionState.LANDING:
        return  # it was complete; what keeps it is to be looked at again
    if wish.is_partial and session.state is SessionState.PAUSED and session.resumes_to not in _NOT_DONE:
        return
    error = ToryoError(
        "E233",
        f"session {short} is not complete: {session_outcome(session)}, {session.state}",
        hint=_how_to_go_on(session, wish, mode),
        exit_code=Exit.REFUSED,
    )
    raise error.with_details(_missing(session))


def _how_to_go_on(session: Session, wish: Wish, mode: LandingMode) -> str:
    short = session.short
    if session.state is not SessionState.PAUSED:
        return f"wait for it, or stop it first: toryo stop {short}" + (
            "" if wish.is_partial else f", then toryo land {short} --{mode} --partial"
        )
    return (
        f"'toryo resume {short}' goes on with it; 'toryo land {short} --{mode} --partial' lands what is merged so far"
    )


def _missing(session: Session) -> list[str]:
    tasks = [task for task in session.tasks.values() if task.state not in MERGED and is_counted(session, task)]
    lines = [_line(session, task) for task in tasks[:_MOST_LISTED]]
    if len(tasks) > _MOST_LISTED:
        lines.append(f"and {len(tasks) - _MOST_LISTED} more")
    return lines or [f"missing: {session.pause_reason or 'the proof on the integrated branch'}"]


def _line(session: Session, task: Task) -> str:
    return f"missing: {task.plan.key} {task.plan.title}: {state_words(session, task)}"
