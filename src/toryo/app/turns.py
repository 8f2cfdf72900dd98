"""Taking up what is queued: one session after the other, by one process at a time."""

import logging
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from toryo.adapters.git.place import cannot_write
from toryo.app.agreeing import agree
from toryo.app.conducting import conduct
from toryo.app.leasing import lease_of, turnstile_of
from toryo.app.project import Project
from toryo.app.steering import assented
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.session import Session
from toryo.engine.conductor import Watch
from toryo.journal.lease import Busy, Lease, is_alive
from toryo.rules.assenting import goes_on_by_assent
from toryo.rules.masking import mask
from toryo.views.queueing import queue_of

log = logging.getLogger(__name__)

_LOOK_EVERY = 0.25
"""For whoever conducts in the foreground to be done: that takes minutes or hours."""
_LOOK_AGAIN = 0.02
_TURNSTILE_PATIENCE = 5.0
_MOST_DETAILS = 3


def conduct_queue(project: Project, watch: Watch) -> bool:
    """Takes up what is queued until nothing is; False: it was interrupted.

    Nobody is forgotten. Whoever queues a session records that first, and only then starts one of us. If we find the
    turnstile taken, the one who has it will look at the queue once more after letting go of it, and so will see
    whatever was recorded before we looked. If it dies instead, `toryo status` says that nobody attends to the queue.
    """
    unreadable: set[str] = set()
    try:
        _heed_signals()
        while _next(project, unreadable):
            with _turnstile(project) as is_ours:
                if not is_ours:
                    return True
                if not _take_turns(project, watch, unreadable):
                    return False
    except KeyboardInterrupt:
        return False
    return True


def _next(project: Project, unreadable: set[str]) -> str | None:
    return next((one for one in queue_of(project.summaries()) if one not in unreadable), None)


def _take_turns(project: Project, watch: Watch, unreadable: set[str]) -> bool:
    """One session after the other; False: whoever conducts was told to stop."""
    while _next(project, unreadable):
        try:
            with lease_of(project) as lease:
                # Who is next is decided only now: somebody may have been stopped while we waited.
                session_id = _next(project, unreadable)
                if session_id is None:
                    return True
                try:
                    session = project.load(session_id)
                except ToryoError as error:
                    log.error("session %s is left where it is: %s", session_id, error.message)
                    unreadable.add(session_id)
                    continue
                if not _conduct(project, session, lease, watch):
                    return False
            agree(project, project.load(session_id), reflects=True)
        except ToryoError as error:
            if error.exit_code is not Exit.BUSY:
                raise
            time.sleep(_LOOK_EVERY)
    return True


def _conduct(project: Project, session: Session, lease: Lease, watch: Watch) -> bool:
    """One session to where it rests; False: whoever conducts was told to stop."""
    interrupts: list[bool] = []
    try:
        session = _turn(project, session, lease, watch, interrupts)
        while not interrupts and goes_on_by_assent(session):
            session = assented(project, session) or session
            session = _turn(project, session, lease, watch, interrupts)
        return not interrupts
    except KeyboardInterrupt:  # before its loop had begun to listen, or between two
        session = project.load(session.id)
        if session.queued_at is None:
            project.append(session, e.SessionPaused(time.time(), "interrupted"))
        return False
    except ToryoError as error:
        if error.exit_code is Exit.INTERRUPTED:
            return False
        _put_down(project, session, error)
    except Exception as error:  # noqa: BLE001  # those that wait behind it are to have their turn all the same
        log.error("%s", mask(traceback.format_exc()))
        says = f"a fault of Toryo's own: {type(error).__name__}: {error}"
        _put_down(project, session, ToryoError("E262", says, hint="logs/conductor.log has the details"))
    return True


def _turn(project: Project, session: Session, lease: Lease, watch: Watch, interrupts: list[bool]) -> Session:
    try:
        return conduct(project, session, lease, watch, lambda: interrupts.append(True))
    finally:
        _heed_signals()  # a loop that ends leaves them as they are in a new process


def _put_down(project: Project, session: Session, error: ToryoError) -> None:
    """What could not even begin waits for a person, who finds out why in the journal."""
    reason = "; ".join((error.message, *error.details[:_MOST_DETAILS])) + (f" ({error.hint})" if error.hint else "")
    now = time.time()
    project.append(project.load(session.id), e.SessionTakenUp(now), e.SessionPaused(now, reason, waits_for_person=True))


def _heed_signals() -> None:
    """Whichever way we are told to end, we do so in order: what waits goes on waiting, what goes on is paused."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


@contextmanager
def _turnstile(project: Project) -> Iterator[bool]:
    """Whether it is us who conducts in the background here; the kernel knows, also if we are killed."""
    turnstile = Lease(turnstile_of(project))
    give_up = time.monotonic() + _TURNSTILE_PATIENCE
    while True:
        try:
            turnstile.acquire()
            break
        except Busy as busy:
            # Whoever only looks at it has it for an instant too, and is not the one who is named in it.
            if (busy.pid is not None and is_alive(busy.pid)) or time.monotonic() > give_up:
                yield False
                return
            time.sleep(_LOOK_AGAIN)
        except OSError as error:
            raise cannot_write(project.place.store, error) from error
    try:
        yield True
    finally:
        turnstile.release()
