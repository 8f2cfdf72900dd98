"""Looking after open pull requests: what they come back with becomes tasks, and the rest of landing goes on."""

import asyncio
import os
import time
from collections.abc import Callable

from toryo.adapters.git.command import Git
from toryo.adapters.git.place import taken_names
from toryo.adapters.git.remote import GitRemote
from toryo.adapters.github import GitHub
from toryo.adapters.settings import Settings
from toryo.app.autonomy import is_autonomous
from toryo.app.configuration import settings_of
from toryo.app.pausing import pause
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.landing import Heard, Landing, LandingMode, PullRequest, RequestState
from toryo.domain.limits import Budget
from toryo.domain.plan import PlannedTask
from toryo.domain.session import Session, SessionState
from toryo.ports import Forge, ForgeFailed, Held, RequestLook
from toryo.rules.discretion import discreet
from toryo.rules.playbook import next_effects
from toryo.rules.requesting import Answer, agent_for, answer_to, base_of, follow_up, say_heard
from toryo.views.landingwords import say_landing

_LONGEST_WAIT = 900.0
_NOTICE_EVERY = 1.0
"""Seconds after which it is seen that somebody else decided something."""

GoOn = Callable[[Session], None]
"""Conducts a session that has something to do, to where it rests again."""
Tell = Callable[[str], None]


def forge_of(project: Project, settings: Settings) -> Forge:
    remote = GitRemote(os.environ, project.place.root, settings.land.remote)
    return GitHub(os.environ, project.place.root, remote)


def refuse_unless_ready(project: Project) -> None:
    """What pull requests need, before a landing that wants some is begun."""
    try:
        asyncio.run(forge_of(project, settings_of(project)).ready())
    except Held as held:
        kept = "everything as it is"
        raise ToryoError("E250", str(held), hint=held.hint, kept=kept, exit_code=Exit.MISSING) from held
    except ForgeFailed as failed:
        hint = "try again later"
        raise ToryoError("E251", str(failed), hint=hint, kept="everything as it is", exit_code=Exit.MISSING) from failed


# ── watching ─────────────────────────────────────────────────────────────────


def waits_for_requests(session: Session) -> bool:
    """Nothing is left to do but to wait for others."""
    is_landing = session.state is SessionState.LANDING and session.landing is not None
    return is_landing and not next_effects(session) and bool(_open(session.landing))


def has_requests_to_wait_for(session: Session) -> bool:
    """Also where it is paused: every request is open, as far as is known, and stands at what is to be landed."""
    is_paused = session.state is SessionState.PAUSED and session.resumes_to is SessionState.LANDING
    if not is_paused or session.landing is None:
        return waits_for_requests(session)
    return waits_for_requests(changed(session, state=SessionState.LANDING)) and not any(
        request.state is RequestState.CLOSED for request in session.landing.requests
    )


def watch(project: Project, session: Session, go_on: GoOn, tell: Tell) -> Session:
    """Looks at them every now and then until they are merged or closed, or a person is needed.

    Nobody holds the lease meanwhile: whoever wants to work here can.
    """
    settings = settings_of(project)
    forge, failures = forge_of(project, settings), 0
    while True:
        session = project.load(session.id)
        if session.state in _RESTING or not (waits_for_requests(session) or next_effects(session)):
            return session
        try:
            if not waits_for_requests(session):
                go_on(session)
                continue
            if asyncio.run(look_at_all(project, session, forge, tell)).seq != session.seq:
                continue
            failures = 0
        except ForgeFailed as failed:
            failures += 1
            tell(f"{failed}; trying again")
        except Held as held:
            why = f"{held}; {held.hint}" if held.hint else str(held)
            return project.append(session, e.SessionPaused(time.time(), why, waits_for_person=True))
        except ToryoError as error:
            if error.exit_code is not Exit.BUSY:
                raise
            tell(f"{error.message}; trying again")
        _rest(project, _pause(settings.land.every, len(_open(session.landing)), failures))


_RESTING = (SessionState.PAUSED, SessionState.CLOSED)


def _pause(every: float, requests: int, failures: int) -> float:
    """Many requests are looked at less often, and a forge that is unwell is left in peace."""
    usual = every * max(1.0, requests / 10)
    return min(usual * 2.0 ** min(failures, 6), max(_LONGEST_WAIT, usual))


def _rest(project: Project, seconds: float) -> None:
    """Until it is time for another look, or somebody else has written something."""
    mark, end = project.journal.change_mark(), time.monotonic() + seconds
    while time.monotonic() < end and project.journal.change_mark() == mark:
        pause(min(_NOTICE_EVERY, max(0.0, end - time.monotonic())))


async def look_at_all(project: Project, session: Session, forge: Forge, tell: Tell) -> Session:
    """One look at each that is open; what is new is recorded."""
    for branch in [request.branch for request in _open(session.landing)]:
        landing = session.landing
        request = next((one for one in _open(landing) if one.branch == branch), None)
        if landing is None or request is None or session.state is not SessionState.LANDING:
            break
        look = await forge.look(request.number)
        news = await _news(project, session, landing, request, look, forge)
        if not news and await _lead(project, session, request, look, forge):
            tell(f"merged pull request {request.number}: everything about it is green")
            look = await forge.look(request.number)
            news = await _news(project, session, landing, request, look, forge)
        if news:
            session = project.append(session, *news)
            for event in map(discreet, news):
                tell(say_landing(event))
    return session


def _open(landing: Landing | None) -> list[PullRequest]:
    requests = landing.requests if landing else ()
    return [request for request in requests if request.state is RequestState.OPEN and request.number]


async def _news(
    project: Project, session: Session, landing: Landing, request: PullRequest, look: RequestLook, forge: Forge
) -> list[e.Event]:
    now = time.time()
    if look.state is not RequestState.OPEN:
        return [e.RequestSeen(now, request.branch, look.state, merged_as=look.merge_commit)]
    if look.is_conflicting and (moved := await _moved(project, landing, request)):
        return [e.TargetMoved(now, moved)]
    answer = answer_to(landing, request, look.heard, head=look.head, is_pending=look.is_pending)
    if not answer.taken_up and not answer.noted:
        return []
    agent = agent_for(session, request)
    if answer.is_enough or (answer.taken_up and not agent):
        return _left_to_a_person(session, request, answer, has_agent=bool(agent))
    heard = [await _with_log(forge, one) for one in answer.taken_up]
    taken = taken_names(project.place, Git(os.environ)) | project.reserved_names()
    tasks = (follow_up(session, request, heard, agent, taken),) if heard else ()
    return [_seen(request, answer, tasks)]


async def _moved(project: Project, landing: Landing, request: PullRequest) -> str:
    """Where the target stands by now, if the result does not have that yet."""
    if landing.mode is not LandingMode.PR:
        return ""
    remote = GitRemote(os.environ, project.place.root, settings_of(project).land.remote)
    stands = await remote.fetch(request.base)
    return stands if stands != landing.onto else ""


def _seen(request: PullRequest, answer: Answer, tasks: tuple[PlannedTask, ...] = ()) -> e.RequestSeen:
    every = (*answer.taken_up, *answer.noted)
    notes = [say_heard(one) for one in answer.taken_up]
    notes += [f"{say_heard(one)} (no agent is told)" for one in answer.noted]
    ids = tuple(one.id for one in every)
    return e.RequestSeen(time.time(), request.branch, RequestState.OPEN, ids, tasks, notes=tuple(notes))


def _left_to_a_person(session: Session, request: PullRequest, answer: Answer, *, has_agent: bool) -> list[e.Event]:
    said = "; ".join(say_heard(one) for one in answer.taken_up)
    why = f"it came back {session.landing.rounds if session.landing else 0} times already"
    if not has_agent:
        why = "no agent of this session can be told in words"
    reason = (
        f"pull request {request.number} came back, and {why}: {said}; look at it: gh pr view {request.number} "
        f"--comments, gh pr checks {request.number}; push to {request.branch} yourself or answer there, "
        f"then toryo land {session.short} goes on watching"
    )
    # The pause says so itself, with what to do about it.
    return [_seen(request, answer), e.SessionPaused(time.time(), reason, waits_for_person=True)]


async def _with_log(forge: Forge, heard: Heard) -> Heard:
    """A check with what its job printed, where that can be had; the end of it tells most."""
    if heard.kind != "check":
        return heard
    log = await forge.log_of(heard.by)
    return changed(heard, text="\n".join(part for part in (heard.text, log[-_MOST_LOG:]) if part))


_MOST_LOG = 5_000


async def _lead(project: Project, session: Session, request: PullRequest, look: RequestLook, forge: Forge) -> bool:
    """What Toryo does to a request that has no news: keeps it aimed at the right branch; merges it, if it is to.

    Whether it did so.
    """
    landing = session.landing
    assert landing is not None
    base = base_of(landing, request)
    if look.base and look.base != base and base != request.base:
        await forge.retarget(request.number, base)
        return False
    is_due = landing.when_green and look.is_green and look.head == request.pushed and base == landing.target
    if not is_due or session.budget == Budget():
        return False
    # The switches that stop everything are looked at last, as they are now.
    if not is_autonomous(project) or project.load(session.id).state is not SessionState.LANDING:
        return False
    await forge.merge(request.number, head=request.pushed, squash=landing.squash)
    return True
