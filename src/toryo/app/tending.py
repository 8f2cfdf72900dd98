"""Looking after the intents of a repository: one pass does what is due, and the next finds nothing left of that."""

import logging
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from toryo.app.agreeing import ENDED
from toryo.app.background import start_conductor
from toryo.app.cases import Case, Cases, Seen
from toryo.app.drafts import DRAFTS, Draft, take_in_drafts
from toryo.app.hindrances import EVERYTHING, TRY_AGAIN_AFTER, Hindrances
from toryo.app.intents import intent_files
from toryo.app.learning import after_end
from toryo.app.leasing import attendant
from toryo.app.planning import prepare_planning
from toryo.app.project import Project
from toryo.app.pursuing import answer_from_file, go_on, pursue, release, send_round_again
from toryo.app.stopping import discard
from toryo.app.surroundings import surroundings_of
from toryo.app.tidings import Tiding, Tidings
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Intent
from toryo.domain.session import Session, SessionState
from toryo.rules.hindering import hindered, hindrance
from toryo.rules.reconciling import plain, reconciled
from toryo.rules.resting import rests
from toryo.rules.tending import Step, next_step, who_releases
from toryo.views.tending import DONE, status_words, step_words, trouble_words

log = logging.getLogger(__name__)

MOST_TRIES = 3
"""How often a session is queued again whose conductor was lost."""
_SETTLING = 2.0
"""Seconds until a draft that is being written is looked at again."""


@fact
class Tended:
    """What one pass saw and did."""

    seen: Seen
    tidings: tuple[Tiding, ...] = ()
    has_acted: bool = False
    """Something was changed: a further look may find more to do."""
    look_again_at: float | None = None
    """When what could not begin may be tried once more; None: nothing waits for that."""
    is_deserted: bool = False
    """What waits for its turn has nobody who takes it up, and nobody could be started."""


class Tending:
    """What is remembered between two passes; all of it may be lost at any time."""

    def __init__(self, project: Project, again_after: float = TRY_AGAIN_AFTER) -> None:
        self._project, self._files = project, intent_files(project)
        self._tidings = Tidings()
        self._cases = Cases(project, lambda about, why: self._tidings.say_once(about, "hindered", f"{about}: {why}"))
        self._hindrances, self._in_the_way = Hindrances(again_after), ""
        self._written: dict[str, tuple[Intent, Intent, int]] = {}
        self._tries: dict[str, int] = {}
        self._conductor: subprocess.Popen[bytes] | None = None
        self._has_acted = False
        self._is_deserted = False

    @property
    def starting(self) -> int | None:
        """The process that was last started to conduct, while it lives."""
        return self._conductor.pid if self._conductor and self._conductor.poll() is None else None

    def tend(self) -> Tended:
        """One pass: files and sessions agree afterwards, and what may begin has begun, one at a time."""
        self._has_acted, self._is_deserted = False, False
        drafts = self._take_in_drafts()
        seen = self._cases.look()
        seen = changed(seen, broken=(*(draft.broken for draft in drafts if draft.broken), *seen.broken))
        for broken in seen.broken:
            self._tidings.say_once(
                broken.path, "broken", f"{broken.path}:{broken.line}: {broken.says}; it is left as it is"
            )
        seen = changed(seen, cases=tuple(self._reconciled(case, seen) for case in seen.cases))
        for case in seen.cases:
            if case.step in (Step.ANSWER, Step.DISCARD):
                self._carry_out(case, seen)
        self._mind_the_queue(seen)
        if not seen.is_busy:
            self._begin_next(seen)
        self._tidings.tell_what_waits(seen)
        settling = time.time() + _SETTLING if any(draft.is_unsettled for draft in drafts) else None
        ends = [at for at in (self._hindrances.ends_at, settling) if at]
        return Tended(seen, self._tidings.taken(), self._has_acted, min(ends, default=None), self._is_deserted)

    # ── files ────────────────────────────────────────────────────────────────

    def _take_in_drafts(self) -> Sequence[Draft]:
        """What came of each."""
        try:
            drafts = take_in_drafts(self._project)
        except (ToryoError, OSError) as error:
            return [Draft(DRAFTS, broken=Broken(DRAFTS, 1, trouble_words(error)))]
        for draft in drafts:
            if draft.intent:
                self._act(Tiding("draft", f"{draft.path}: taken in as {draft.intent.slug}", draft.intent.slug))
        return drafts

    def _reconciled(self, case: Case, seen: Seen) -> Case:
        """With the file as the session has it; what follows from that is decided anew."""
        session, intent = case.session, case.intent
        if session is None:
            return case
        if rests(session):
            self._tries.pop(session.id, None)
        parts = seen.parts_of(intent, session)
        after = reconciled(intent, session, parts)
        if after == intent or self._is_futile(intent, after):
            return case
        with self._kept_going(intent.slug):
            if after.status in ENDED:
                self._after_end(after, session)
            after = self._files.change(intent.slug, lambda found: reconciled(found, session, parts))
            self._has_acted = True
            if after.status is not intent.status:
                self._tidings.tell(Tiding(str(after.status), status_words(after), after.slug, session.id))
        step = next_step(after, session, seen.policy, is_attended=case.is_attended)
        return changed(case, intent=after, step=step)

    def _is_futile(self, intent: Intent, after: Intent) -> bool:
        """The very same was written over and over, and never stands there afterwards."""
        *pair, times = self._written.get(intent.slug, (None, None, 0))
        times = times + 1 if pair == [intent, after] else 1
        self._written[intent.slug] = (intent, after, times)
        return times > MOST_TRIES

    def _after_end(self, intent: Intent, session: Session) -> None:
        """Before the file says so: whoever is killed in between does it again, and it may be done twice."""
        try:
            after_end(self._project, intent, session)
        except Exception as error:  # what can be learned is worth less than what is known
            log.warning("after %s", intent.slug, exc_info=True)
            words = plain(f"{intent.slug}: nothing could be learned from it: {error}", 300)
            self._tidings.say_once(f"after {session.id}", "hindered", words)

    # ── acting ───────────────────────────────────────────────────────────────

    def _begin_next(self, seen: Seen) -> None:
        """The first that can begin; one that cannot is left until something about it or around it changes."""
        around = surroundings_of(self._project)
        for place, case in enumerate(seen.upcoming):
            if self._hindrances.holds(EVERYTHING, around):
                if place == 0:  # by now: the one that said so may be gone
                    self._say_in_its_file(case, self._in_the_way)
                return
            mark = (_essence(case.intent), around)
            if self._hindrances.holds(case.intent.slug, mark) or self._is_given_up(case):
                continue
            if self._carry_out(case, seen):
                with self._kept_going("the background"):
                    self._conductor = start_conductor(self._project)
                return

    def _carry_out(self, case: Case, seen: Seen) -> bool:
        """Whether it was possible, and still wanted."""
        try:
            session = self._acted(case, seen)
        except _NothingCanBegin as error:
            self._hinder(case, EVERYTHING, error.cause)
            return False
        except (ToryoError, OSError) as error:
            self._hinder(case, case.intent.slug, error)
            return False
        self._hindrances.clear()
        self._has_acted = True
        if session is None:
            return False
        self._tidings.tell(
            Tiding(DONE[case.step], step_words(case.step, case.intent, session), case.intent.slug, session.id)
        )
        return True

    def _acted(self, case: Case, seen: Seen) -> Session | None:
        project, intent, session = self._project, case.intent, case.session
        if session is None:
            return self._opened(intent, case.ended)
        match case.step:
            case Step.RELEASE:
                return release(project, intent, session, who_releases(intent, session, seen.policy))
            case Step.ANSWER:
                return answer_from_file(project, intent, session)
            case Step.DISCARD:
                return discard(project, session)
            case Step.RETRY if session.state is SessionState.CLOSED:
                return self._opened(intent, ended=session.id)
            case Step.RETRY:
                return send_round_again(project, intent, session)
            case _:
                self._tries[session.id] = self._tries.get(session.id, 0) + (case.step is Step.GO_ON)
                return go_on(project, session)

    def _opened(self, intent: Intent, ended: str = "") -> Session | None:
        try:
            settings = prepare_planning(self._project, {})
        except ToryoError as error:
            raise _NothingCanBegin(error) from error
        session = pursue(self._project, intent, settings, ended)
        return go_on(self._project, session) if session else None

    def _is_given_up(self, case: Case) -> bool:
        """Nobody could be brought to conduct it; said once."""
        session = case.session
        if case.step is not Step.GO_ON or session is None or self._tries.get(session.id, 0) < MOST_TRIES:
            return False
        words = f"session {session.short} was queued {MOST_TRIES} times, and whoever conducted it was lost each time"
        hint = f"'toryo resume {session.short}' tries it in front of you"
        self._tidings.say_once(session.id, "hindered", f"{case.intent.slug}: {words}; {hint}")
        return True

    def _mind_the_queue(self, seen: Seen) -> None:
        """What waits for its turn has somebody who takes it up."""
        waiting = [case.session for case in seen.cases if case.session and case.session.queued_at is not None]
        if not waiting or self.starting is not None or attendant(self._project) is not None:
            return
        first = waiting[0]
        if self._hindrances.holds(first.id, first.queued_at):
            self._is_deserted = True
            return
        tries = self._tries.get(first.id, 0)
        if tries >= MOST_TRIES:
            self._is_deserted = True
            self._hindrances.add(first.id, first.queued_at)
            self._tries[first.id] = tries - 1  # once more after a while: what was in the way may be gone
            words = f"session {first.short} is queued, and nobody could be started who takes it up"
            self._tidings.say_once(first.id, "hindered", f"{words}: 'toryo conduct' shows why")
            return
        self._tries[first.id] = tries + 1
        self._has_acted = True  # also where it fails: nothing else would have us look again
        with self._kept_going("the background"):
            self._conductor = start_conductor(self._project)

    # ── what stands in the way ───────────────────────────────────────────────

    def _hinder(self, case: Case, what: str, error: ToryoError | OSError) -> None:
        around = surroundings_of(self._project)
        self._hindrances.add(what, (_essence(case.intent), around) if what else around)
        words = trouble_words(error)
        self._tidings.say_once(what or "everything", "hindered", f"{case.intent.slug}: cannot begin: {words}")
        self._in_the_way = words if what == EVERYTHING else self._in_the_way
        self._say_in_its_file(case, words)

    def _say_in_its_file(self, case: Case, words: str) -> None:
        if case.session is not None or hindrance(case.intent) == words:
            return  # the file says what the session does, or says it already
        with suppress(ToryoError, OSError):
            self._files.change(case.intent.slug, lambda found: hindered(found, words))

    @contextmanager
    def _kept_going(self, about: str) -> Iterator[None]:
        """A file that cannot be written, or is broken by now, keeps nobody from looking after the others."""
        try:
            yield
        except (ToryoError, OSError) as error:
            self._tidings.say_once(f"file {about}", "hindered", f"{about}: {trouble_words(error)}")

    def _act(self, tiding: Tiding) -> None:
        self._has_acted = True
        self._tidings.tell(tiding)


class _NothingCanBegin(Exception):
    """Not for a reason of one intent, but for one of the whole."""

    def __init__(self, cause: ToryoError) -> None:
        super().__init__(cause.message)
        self.cause = cause


def _essence(intent: Intent) -> Intent:
    """Without what we write there ourselves when it cannot begin."""
    return changed(intent, reason="", updated_at=0.0, session="")
