"""Where nobody watches: files of intents are brought to what their sessions say as soon as one of those rests."""

import logging

from toryo.adapters.intentfiles import IntentFiles
from toryo.app.cases import Case, Cases, Seen
from toryo.app.intents import intent_files
from toryo.app.learning import after_end
from toryo.app.leasing import watcher
from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.intent import IntentStatus
from toryo.domain.session import Session
from toryo.rules.reconciling import reconciled

log = logging.getLogger(__name__)

ENDED = (IntentStatus.DONE, IntentStatus.BLOCKED, IntentStatus.ERROR)
_MOST_LOOKS = 5
"""An intent stands as its parts do, and those as theirs."""


def agree(project: Project, session: Session, *, reflects: bool) -> None:
    """All files, since who was killed before may have left one behind; whoever watches does this by themselves."""
    if session.pursuit is None:
        return
    try:
        if watcher(project) is None:
            _agree(project, reflects=reflects)
    except (ToryoError, OSError) as error:  # the work is done, whatever a file says about it
        log.warning("intents: %s", error)


def _agree(project: Project, *, reflects: bool) -> None:
    cases, files = Cases(project), intent_files(project)
    for _ in range(_MOST_LOOKS):
        seen = cases.look()
        if not [case for case in seen.cases if _changed(project, files, case, seen, reflects=reflects)]:
            return


def _changed(project: Project, files: IntentFiles, case: Case, seen: Seen, *, reflects: bool) -> bool:
    session, intent, parts = case.session, case.intent, seen.parts_of(case.intent, case.session)
    after = intent if session is None else reconciled(intent, session, parts)
    if session is None or after == intent:
        return False
    try:
        if after.status in ENDED:
            after_end(project, after, session, reflects=reflects)
        files.change(intent.slug, lambda found: reconciled(found, session, parts))
    except (ToryoError, OSError) as error:
        log.warning("%s: %s", intent.slug, error)
        return False
    return True
