"""What is learned when an effort at an intent ends, however it ended."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from toryo.app.configuration import settings_of
from toryo.app.histories import keep_history
from toryo.app.inquiring import Ear
from toryo.app.project import Project
from toryo.app.reflecting import is_any_pending, matter_of, reflect
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent
from toryo.domain.session import Session
from toryo.rules.reflecting import LEAST_SEEN

log = logging.getLogger(__name__)


def after_end(project: Project, intent: Intent, session: Session, *, reflects: bool = True) -> None:
    """Keeps how it went and, where that is configured, reflects; as often as it is asked, and whatever happens.

    Nothing that goes wrong here concerns the intent: what cannot be done now is done after the next one.
    """
    try:
        keep_history(project, intent, session)
        settings = settings_of(project)
        if reflects and settings.autonomy.reflect and is_worth_reflecting(project):
            reflect(project, settings, _unheard, tries=1)
    except (ToryoError, OSError) as error:
        log.warning("%s is reflected on later: %s", intent.slug, error)


def is_worth_reflecting(project: Project) -> bool:
    """Something was noted; or so many efforts came to an end that they may have something in common.

    One that was interrupted is finished in any case.
    """
    matter = matter_of(project)
    return bool(matter.observations) or len(matter.new) >= LEAST_SEEN or is_any_pending(project)


class _Nobody:
    def hear(self, question: str, piece: str) -> None:
        """Nobody is there to listen."""

    def note(self, text: str) -> None:
        log.info("%s", text)


@contextmanager
def _unheard(said: str) -> Iterator[Ear]:
    log.info("%s", said)
    yield _Nobody()
