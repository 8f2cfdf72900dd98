"""What a person decides about several things at once: all are looked at first, then each is decided for itself."""

from collections.abc import Callable, Sequence
from typing import Any

from toryo.app.deciding import Decided
from toryo.app.leasing import watcher
from toryo.app.meaning import Meant, what_is_meant
from toryo.app.project import Project
from toryo.app.steering import resumed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.frontends.cli.delegating import Showing, delegate, into_background, leave_to_delegate
from toryo.frontends.cli.talking import complain, say, show_json
from toryo.views.rows import envelope

_FEW = 5
"""So many names are repeated in a command that a person may type."""


@fact
class Failed:
    """Something about which nothing was decided, and why."""

    name: str
    error: ToryoError


def names_in(given: Sequence[str]) -> list[str]:
    """Ids as they are given: one after the other, also with commas between them; each once."""
    return list(dict.fromkeys(name for part in given for name in part.split(",") if name))


def looked_at(project: Project, names: Sequence[str], refuse: Callable[[Meant], None]) -> list[Meant]:
    """What is meant by all of them; raises ToryoError, and nothing is decided, where one of them cannot be."""
    found, wrong = [], []
    for name in names:
        try:
            meant = what_is_meant(project, name)
            refuse(meant)
            found.append(meant)
        except ToryoError as error:
            wrong.append(Failed(name, error))
    if not wrong:
        return found
    if len(names) == 1:
        raise wrong[0].error
    refusal = ToryoError(
        "E288",
        f"{len(wrong)} of {len(names)} cannot be decided",
        kept="nothing was decided",
        hint="leave them out, or see to them first",
        exit_code=wrong[0].error.exit_code,
    )
    raise refusal.with_details([f"{one.name}: {one.error.message} ({one.error.code})" for one in wrong])


def decide_each(what: Sequence[Meant], decide: Callable[[Meant], Decided]) -> tuple[list[Decided], list[Failed]]:
    """What somebody else was faster with, or what fails, keeps none of the others."""
    decided, failed = [], []
    for meant in what:
        try:
            decided.append(decide(meant))
        except ToryoError as error:
            if len(what) == 1:
                raise
            failed.append(Failed(meant.name, error))
    return decided, failed


def is_detached() -> bool:
    """Whether the person wants what follows to be done in the background at once."""
    other = delegate()
    return other is not None and other.carry_on is into_background


def settle(
    project: Project, decided: Sequence[Decided], failed: Sequence[Failed], showing: Showing, *, only: bool = False
) -> int:
    """Says what was decided, and has sessions go on that have to; the exit code."""
    for one in decided if not showing.as_json else ():
        say(one.says)
    for wrong in failed:
        complain(f"{wrong.name}: {wrong.error.message}", hint=wrong.error.hint, code=wrong.error.code)
    if showing.as_json:
        show_json(envelope("decisions", {"decided": [_row(one) for one in decided], "failed": _rows(failed)}))
    for one in decided if not only else ():
        if one.session is not None:
            go_on_behind(project, one.session, showing)
    waiting = [one.what.name for one in decided if one.waits_for_watch]
    if waiting and watcher(project) is None:
        at_once = f"; at once with 'toryo approve {','.join(waiting)} --now'" if len(waiting) <= _FEW else ""
        say(f"nobody watches: it begins with 'toryo watch'{at_once}")
    return failed[0].error.exit_code if failed else Exit.COMPLETE


def go_on_behind(project: Project, session: Session, showing: Showing) -> None:
    """Has a session go on behind the person's back, unless somebody is at it."""
    if (other := delegate()) and not is_detached():
        leave_to_delegate(project, resumed(project, project.load(session.id)), showing)
        return
    from toryo.app.carryingon import carry_on, queue_up

    says = carry_on(project, session) if other is None else queue_up(project, session)
    if says and not showing.quiet:
        say(says)


def _row(one: Decided) -> dict[str, Any]:
    what = one.what
    kind = "intent" if what.intent else "skill" if what.skill else "task" if what.task else "session"
    session = one.session or what.session
    return {
        "kind": kind,
        "id": what.intent.slug if what.intent else what.task.id if what.task else what.name,
        "status": what.intent.status.value if what.intent else None,
        "session": session.id if session else None,
        "says": one.says,
    }


def _rows(failed: Sequence[Failed]) -> list[dict[str, Any]]:
    return [{"id": one.name, "code": one.error.code, "says": one.error.message} for one in failed]
