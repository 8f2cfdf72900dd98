"""What a person decides about a session's budget, and what they should know about it."""

import time
from collections.abc import Iterable, Mapping

from toryo.app.project import Project
from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.errors import Clash, Exit, ToryoError
from toryo.domain.limits import Limit
from toryo.domain.session import Session, SessionState
from toryo.rules.admit import admit
from toryo.rules.amounts import changed_budget
from toryo.rules.evolve import evolve
from toryo.rules.playbook import next_effects
from toryo.views.budget import how_to_raise, used_up_words


def change_budget(project: Project, session: Session, said: Mapping[Limit, str]) -> Session:
    """The session with another budget; what is said relatively counts from what it is at that moment."""
    while True:
        if session.state is SessionState.CLOSED:
            raise ToryoError("E206", f"session {session.short} is closed ({session.outcome})")
        try:
            event = e.BudgetChanged(time.time(), changed_budget(session.budget, said))
        except ValueError as error:
            hint = f"'toryo budget {session.short}' shows what it is"
            raise ToryoError("E214", str(error), hint=hint) from error
        evolved = evolve(session, event)
        try:
            project.write(evolved, session.seq, [event])
        except Clash:
            session = project.load(session.id)
            continue
        return evolved


def refuse_if_used_up(session: Session, wanted: Iterable[e.Event]) -> None:
    """Raises ToryoError where the session would have to pause at once if it went on like this."""
    now = time.time()
    resumed = session
    for event in wanted:
        resumed = evolve(resumed, event) if admit(resumed, event) else resumed
    pauses = [effect.not_before for effect in next_effects(resumed) if isinstance(effect, fx.PauseAtBudget)]
    if not any(moment <= now for moment in pauses):
        return
    raise ToryoError(
        "E215",
        used_up_words(resumed, now),
        kept="everything that was done",
        hint=f"{how_to_raise(resumed, now)}, then toryo resume {resumed.short}",
        exit_code=Exit.NOT_COMPLETE,
    )
