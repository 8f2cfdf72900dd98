"""Taking a landing back, where nothing else has happened since."""

import os
import time

from toryo.adapters.git.command import Git
from toryo.app.conducting import world_of
from toryo.app.landing import left_paused
from toryo.app.leasing import lease_of
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.landing import Landing, LandingMode, RequestState
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.engine.performers.landing import made_before, told
from toryo.ports import Held, World
from toryo.rules.judging import session_outcome
from toryo.views.landingwords import landing_words
from toryo.views.standing import is_landing

_MOST_OTHERS = 5


async def undo(project: Project, session: Session) -> tuple[Session, str]:
    """The session as it was before, and what was done; raises, having changed nothing, where it cannot be undone."""
    with lease_of(project) as lease:
        session = project.load(session.id)
        landing = _to_undo(session)
        if landing is None:
            raise _nothing_landed(project, session)
        async with world_of(project, lease, session.terms.host) as world:
            if landing.requests:
                words = await _close_requests(world, landing)
            elif not landing.is_over and (event := await _made_but_not_told(world, session, landing)):
                session = project.append(session, event)
                landing = session.landing or landing
                words = await _take_back(project, world, session, landing)
            elif landing.is_over:
                words = await _take_back(project, world, session, landing)
            else:
                words = f"landing is given up; the result is on {session.branch}"
        session = _recorded(project, session)
        still = landing_words(session)
        return session, f"{words}; it is still {still}" if still else words


def _nothing_landed(project: Project, session: Session) -> ToryoError:
    """Never another session's instead: but those that could be meant are named."""
    partly = "" if session_outcome(session) is Outcome.COMPLETE else " --partial"
    others = (project.load(row["id"]) for row in project.summaries() if row["landed"])
    lines = [f"{landing_words(other)}: {other.title} (toryo undo {other.short})" for other in others]
    return ToryoError(
        "E240",
        f"nothing of session {session.short} is landed",
        hint=f"land it with: toryo land {session.short} --merge{partly}",
        exit_code=Exit.REFUSED,
    ).with_details(lines[:_MOST_OTHERS])


async def _made_but_not_told(world: World, session: Session, landing: Landing) -> e.Event | None:
    """The landing that whoever made it had no time to record."""
    made = await made_before(world.target, session, landing)
    return told(world, session, made) if made else None


def _to_undo(session: Session) -> Landing | None:
    """What is under way, else what was landed last."""
    landing = session.landing
    return landing.last if landing and landing.mode is LandingMode.BRANCH else landing


def _recorded(project: Project, session: Session) -> Session:
    now, outcome = time.time(), session_outcome(session)
    is_given_up = session.landing is not None and not session.landing.is_over
    if is_given_up and session.state is not SessionState.CLOSED and outcome is not Outcome.COMPLETE:
        return left_paused(project, session)
    closed = [e.SessionClosed(now, outcome)] if is_landing(session) else []
    return project.append(session, e.LandingUndone(now, "a person"), *closed)


async def _take_back(project: Project, world: World, session: Session, landing: Landing) -> str:
    target, git = world.target, Git(os.environ)
    if not landing.before:
        raise _refusal(landing, f"it was not Toryo that landed it on {landing.target}")
    stands = await target.stands(landing.target)
    if stands != landing.before:  # else it was taken back in a try that was cut short
        await _refuse_if_it_went_on(git, project, landing, stands)
    await _restore(git, project, session)
    try:
        moved = await target.move_back(landing.target, before=landing.before, commit=landing.commit)
    except Held as held:
        raise ToryoError(
            "E242", str(held), hint=f"{held.hint}, then toryo undo again", exit_code=Exit.REFUSED
        ) from held
    if not moved and await target.stands(landing.target) != landing.before:
        raise _refusal(landing, f"{landing.target} has moved")
    return f"{landing.target} is at {landing.before[:12]} again, and the result on {session.branch}"


async def _refuse_if_it_went_on(git: Git, project: Project, landing: Landing, stands: str) -> None:
    if not stands:
        raise _refusal(landing, f"there is no branch {landing.target} any more")
    if stands != landing.commit:
        raise _refusal(landing, f"{landing.target} has gone on to {stands[:12]} since")
    asked = ("for-each-ref", "--contains", landing.commit, "--format=%(refname:short)", "refs/remotes")
    if pushed := (await git.ask(project.place.root, *asked)).split():
        raise _refusal(landing, f"it is pushed already: {', '.join(pushed[:3])} has it")


def _refusal(landing: Landing, why: str) -> ToryoError:
    is_merge = not landing.squash
    command = f"git revert {'-m 1 ' if is_merge else ''}{landing.commit[:12]}"
    by_new = f"take the changes back with a new commit: git switch {landing.target} && {command}"
    return ToryoError(
        "E241",
        f"landing cannot be undone: {why}",
        hint=by_new if landing.before else "look for the commit that merged it, and git revert that",
        kept="everything as it is",
        exit_code=Exit.REFUSED,
    )


async def _restore(git: Git, project: Project, session: Session) -> None:
    """The session's branch, where it was cleared away; one that is there is left as it is."""
    root, ref = project.place.root, f"refs/heads/{session.branch}"
    if (await git.attempt(root, "rev-parse", "-q", "--verify", ref)).returncode:
        # The empty old value: git refuses if somebody has made it since.
        await git.ask(root, "update-ref", "-m", "toryo: landing undone", ref, session.tip, "")


async def _close_requests(world: World, landing: Landing) -> str:
    """Pull requests that are still open; one that is merged is others' history by now."""
    merged = [request for request in landing.requests if request.state is RequestState.MERGED]
    if merged:
        listed = ", ".join(request.url or str(request.number) for request in merged)
        raise ToryoError(
            "E241",
            f"landing cannot be undone: {listed} is merged",
            hint="revert it where it was merged: its page has a button for that",
            kept="everything as it is",
            exit_code=Exit.REFUSED,
        )
    opened = [request for request in landing.requests if request.number and request.state is RequestState.OPEN]
    try:
        for request in opened:
            await world.forge.close(request.number)
    except Held as held:
        raise ToryoError("E242", str(held), hint=held.hint, exit_code=Exit.MISSING) from held
    closed = ", ".join(request.url or str(request.number) for request in opened)
    return f"closed {closed}; the branches stay" if closed else "landing is given up; the branches stay"
