"""Whether somebody is at work on a branch whom an act of a person would disturb."""

from toryo.adapters.git.place import Place
from toryo.app.branchworks import UNREADABLE, reading
from toryo.domain.branch import Branch
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session, SessionState
from toryo.domain.task import LIVE


def refuse_at_work(place: Place, branch: Branch) -> Session | None:
    """The session that the branch belongs to, if it may be touched now."""
    if branch.by_hand:
        raise refusal(
            "E184", f"{branch.by_hand}, started by hand, is at work on {branch.name}", "close its window first"
        )
    session, work = session_of(place, branch), branch.work
    if session is None or work is None or session.state is SessionState.CLOSED:
        return session
    if work.is_running:
        what = f"{work.task} ({work.agent})" if work.task else f"session {session.short}"
        hint = f"wait for it, or stop it first: toryo stop {session.short}"
        raise refusal("E184", f"{what} is at work on {branch.name}: {work.state}", hint)
    if work.task and session.task(work.task).state in LIVE:
        hint = f"'toryo resume {session.short}' goes on with it, 'toryo stop {session.short}' gives it up"
        raise refusal("E184", f"{work.task} was interrupted at work on {branch.name}", hint)
    return session


def session_of(place: Place, branch: Branch) -> Session | None:
    """None: it is no session's. Where that cannot be seen it is not taken for nobody's."""
    if branch.work is None:
        return None
    try:
        with reading(place) as project:
            return project.session(branch.work.session)
    except UNREADABLE as error:
        hint = "'toryo doctor' looks at the journal"
        raise refusal("E184", f"whether somebody is at work on {branch.name} cannot be seen: {error}", hint) from error


def refusal(code: str, message: str, hint: str) -> ToryoError:
    return ToryoError(code, message, hint=hint, kept="everything as it is", exit_code=Exit.REFUSED)
