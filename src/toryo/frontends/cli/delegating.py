"""Going on with a session here and now, or leaving that to somebody else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toryo.domain.facts import fact
from toryo.domain.plan import Chosen
from toryo.frontends.cli.talking import say, show, show_json

if TYPE_CHECKING:
    from pathlib import Path

    from toryo.app.project import Project
    from toryo.domain.session import Session
    from toryo.journal.lease import Lease

Command = TypeVar("Command", bound=Callable[..., Any])


@fact
class Showing:
    """How the one who left a session to somebody else wants to be shown what comes of it."""

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    only_plan: bool = False
    """A plan is all that was asked for."""


@fact
class Handed:
    """A session that was left to somebody else, and where."""

    where: "Path"
    session: str
    only_plan: bool = False


@dataclass(frozen=True, slots=True)
class Delegate:
    """Goes on with sessions in place of the command that changed them; found in the context of a command."""

    carry_on: "Callable[[Project, Session, Showing], int]"
    """Returns the exit code."""
    choose: Callable[[], Chosen] = Chosen
    """Asked whenever a session is begun: a person may have chosen another model since."""
    yes: bool = False
    """What they ask is taken by default, and their plans are approved."""
    unattended: bool = False
    """Nobody is there to answer an agent of theirs that asks something."""
    handed: list[Handed] = field(default_factory=list)
    """All that was left to it so far."""

    @property
    def chosen(self) -> Chosen:
        """The model for a session that is begun now."""
        return self.choose()


def delegate() -> Delegate | None:
    context = click.get_current_context(silent=True)
    return context.find_object(Delegate) if context else None


@contextmanager
def turn_in(project: "Project") -> "Iterator[Lease | None]":
    """The right to conduct here; None where somebody else will."""
    if delegate():
        from toryo.app.persons import only_a_person

        only_a_person(project)  # a run would wait for itself
        yield None
        return
    from toryo.app.leasing import lease_of

    with lease_of(project) as lease:
        yield lease


def leave_to_delegate(project: "Project", session: "Session", showing: Showing) -> int:
    """The exit code of a command that does not go on itself."""
    other = delegate()
    assert other is not None
    other.handed.append(Handed(project.place.root, session.id, showing.only_plan))
    return other.carry_on(project, session, showing)


def unattended_flags() -> dict[str, object]:
    """What holds for sessions that are begun where nobody is there."""
    other = delegate()
    return {"answer_time": "1ms"} if other and other.unattended else {}


# ── the background ───────────────────────────────────────────────────────────


def into_background(project: "Project", session: "Session", showing: Showing) -> int:
    """Says that it goes on there, and after how many others; the exit code."""
    from toryo.app.background import leave
    from toryo.views.queueing import turn_words
    from toryo.views.rows import envelope, session_row

    session, others = leave(project, session)
    if showing.as_json:
        show_json(envelope("session", {"session": session_row(session)}))
        return 0
    show(f"session {session.short} goes on in the background{turn_words(others)}")
    if not _is_quiet():
        say(f"next: toryo logs --follow {session.short}, toryo status, or toryo stop {session.short}")
    return 0


def _is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.params.get("quiet"))


def _detached(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.obj = replace(ctx.find_object(Delegate) or Delegate(into_background), carry_on=into_background)


def detach_option(command: Command) -> Command:
    """`--detach`, for commands that go on with a session."""
    says = "Go on in the background, after what is queued there."
    return click.option("--detach", is_flag=True, expose_value=False, callback=_detached, help=says)(command)
