"""Pull requests: pushing what they are about, opening them, and seeing that they are really merged."""

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.landing import Landing, LandingMode, PullRequest, RequestState
from toryo.domain.session import Session
from toryo.engine.performers.holding import until_a_person_acts
from toryo.ports import Held, Remote, Request, RequestDraft, World
from toryo.rules.landing import Head, heads, landing_in
from toryo.rules.requesting import base_of
from toryo.views.request import About, request_body, request_title


@until_a_person_acts
async def push_branch(world: World, session: Session, effect: fx.PushBranch) -> e.Event:
    """Everything that opening needs is looked at before anything is pushed."""
    remote, forge, landing = world.remote, world.forge, landing_in(session)
    head = _head(session, landing, effect.branch)
    request = _request(landing, effect.branch)
    if request is None or not request.number:
        await forge.ready()
        await _refuse_what_is_no_request(remote, head)
    await remote.push(head.branch, head.commit)
    return e.BranchPushed(world.clock.now(), head.branch, head.base, head.commit, head.task)


async def _refuse_what_is_no_request(remote: Remote, head: Head) -> None:
    base = await remote.fetch(head.base)
    if not base:
        raise Held(f"the remote has no branch {head.base} to merge into", f"push it first: git push … {head.base}")
    if not (await remote.impact(base, head.commit)).paths:
        raise Held(f"there is nothing to ask for: {head.base} has everything of {head.branch} already")
    if left := await remote.left_out(head.branch):
        shown = ", ".join(left[:5]) + (" …" if len(left) > 5 else "")
        hint = f"commit it elsewhere or take it away: what is pushed is what was proven ({head.commit[:12]})"
        raise Held(f"{head.branch} is checked out with changes that are not committed: {shown}", hint)


@until_a_person_acts
async def open_request(world: World, session: Session, effect: fx.OpenRequest) -> e.Event:
    """The one of an earlier try, or of a person, is taken over; a closed one is not."""
    forge, landing = world.forge, landing_in(session)
    request = _request(landing, effect.branch)
    assert request is not None
    found = await forge.find(request.branch)
    if found is None or not _is_ours(found, request):
        found = await forge.open(await _draft(world, session, landing, request))
    return e.RequestOpened(world.clock.now(), request.branch, found.number, found.url)


def _is_ours(found: Request, request: PullRequest) -> bool:
    """Merged already, if it is about the very commit: then somebody was quick."""
    is_quick = found.state is RequestState.MERGED and found.head == request.pushed
    return found.state is RequestState.OPEN or is_quick


async def _draft(world: World, session: Session, landing: Landing, request: PullRequest) -> RequestDraft:
    remote, forge = world.remote, world.forge
    base = base_of(landing, request)
    impact = await remote.impact(await remote.fetch(base), request.pushed)
    task = session.tasks[request.task] if request.task else None
    issue = session.source if session.source.startswith("https://") else ""
    is_whole = landing.mode is LandingMode.PR
    below = next((one.url for one in landing.requests if one.branch == base and one.url), "")
    about = About(
        paths=impact.paths,
        added=impact.added,
        removed=impact.removed,
        task=task,
        issue=issue,
        closes=await forge.own_issue(issue) if issue and is_whole else 0,
        builds_on=below,
    )
    return RequestDraft(request.branch, base, request_title(session, task), request_body(session, about))


async def where_it_landed(world: World, session: Session) -> str:
    """The commit of the target by which every request is merged; raises Held where that is not so."""
    remote, landing = world.remote, landing_in(session)
    for request in landing.requests:
        if request.state is not RequestState.MERGED:
            raise Held(
                f"pull request {request.number} was closed without being merged: {request.url}",
                f"open a new one: toryo land {session.short} --pr; land it otherwise: toryo land {session.short} "
                f"--merge; or leave it at that: toryo land {session.short} --branch",
            )
        if not await _is_home(remote, landing, request):
            raise Held(
                f"the forge says that pull request {request.number} is merged, but {landing.target} does not have it",
                f"see that 'git fetch' gets what is on the forge, then toryo resume {session.short}",
            )
    last = landing.requests[-1]
    return last.merged_as or last.pushed


async def _is_home(remote: Remote, landing: Landing, request: PullRequest) -> bool:
    """A stacked one may have been merged into the branch it builds on, before that was merged itself."""
    for base in dict.fromkeys((base_of(landing, request), request.base)):
        if await remote.holds(base, request.pushed, request.merged_as):
            return True
    return False


async def forget_remote_branches(world: World, session: Session) -> tuple[tuple[str, str], ...]:
    """Those of merged requests; the ones that stay, and why."""
    landing, remote = landing_in(session), world.remote
    merged = [
        request
        for request in landing.requests
        if request.state is RequestState.MERGED or await remote.holds(landing.target, request.pushed)
    ]
    told = [(request.branch, await remote.forget(request.branch, request.pushed)) for request in merged]
    return tuple((branch, why) for branch, why in told if why)


def _head(session: Session, landing: Landing, branch: str) -> Head:
    return next(head for head in heads(session, landing) if head.branch == branch)


def _request(landing: Landing, branch: str) -> PullRequest | None:
    return next((request for request in landing.requests if request.branch == branch), None)
