"""The histories of a repository's intents: kept when an effort ends, and found by name."""

import difflib

from toryo.adapters.intenthistory import HistoryFiles, Told
from toryo.adapters.located import Unreadable
from toryo.app.observing import observation_file
from toryo.app.project import Project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
from toryo.domain.session import Session
from toryo.rules.histories import history_name, history_of


def keep_history(project: Project, intent: Intent, session: Session) -> bool:
    """Writes how it went, or brings that up to date; False: that is what the file says already."""
    events = [event for _, event in project.journal.read(session.id)]
    observations = observation_file(project.place).observed().observations
    history = history_of(intent, session, events, observations)
    try:
        return HistoryFiles(project.place.root).write(history_name(intent, session), history, project.place.store)
    except Unreadable as error:
        name = history_name(intent, session)
        words = f".toryo/knowledge/history/{name}.yaml:{error.line}: {error}"
        raise ToryoError("E293", words, kept="the file is as it was", hint="put it right in an editor") from error


def find_histories(project: Project, wanted: str | None) -> Told:
    """All of them, or those of one intent, or one; raises ToryoError where nothing is called so."""
    told = HistoryFiles(project.place.root).told()
    if wanted is None:
        return told
    exact = [each for each in told.histories if wanted in (each[0], each[1].intent_id)]
    found = exact or [each for each in told.histories if each[0].startswith(wanted)]
    broken = tuple(one for one in told.broken if one.path.rpartition("/")[2].startswith(wanted))
    if not found and not broken:
        known = sorted({name for each in told.histories for name in (each[0], each[1].intent_id)})
        near = difflib.get_close_matches(wanted, known, n=1)
        hint = f"did you mean '{near[0]}'?" if near else "'toryo history' lists them"
        raise ToryoError("E294", f"there is no history of '{wanted}'", hint=hint)
    return changed(told, histories=tuple(found), broken=broken)
