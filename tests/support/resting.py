"""Sessions that live on in a world of chance, with a look at every step."""

from collections.abc import Callable
from random import Random

from tests.support.books import check_books
from tests.support.sessions import AT, good_answer, refusal, result, seen

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.report import Report, Usage
from toryo.domain.run import EndedBy
from toryo.domain.session import Session, SessionState
from toryo.rules.admit import admit
from toryo.rules.evolve import evolve
from toryo.rules.playbook import next_effects

Look = Callable[[Session, frozenset[fx.Effect]], None]


class Walk:
    """Answers what the playbook wants, in any order, until the session rests; so many in a hundred go wrong."""

    def __init__(self, session: Session, seed: int, trouble: int, look: Look, *, most_tokens: int = 0) -> None:
        self.session, self.random, self.trouble, self._look = session, Random(seed), trouble, look
        self.most_tokens = most_tokens
        """What one run uses at most."""
        self.events: list[e.Event] = []
        self._mishaps = 60

    def to_rest(self, most: int = 4000) -> Session:
        for _ in range(most):
            wanted = next_effects(self.session)
            check_books(self.session)
            self._look(self.session, wanted)
            later = [effect for effect in wanted if not (isinstance(effect, fx.PauseAtBudget) and effect.not_before)]
            if not later:
                assert not wanted, "nobody waits for the end of the time alone"
                return self.session
            chosen = self.random.sample(sorted(later, key=repr), min(len(later), self.random.randint(1, 4)))
            before = len(self.events)
            for event in [self._answer(effect) for effect in chosen]:
                self.record(event)
            assert len(self.events) > before, f"wanted, but not admitted: {chosen}"
        raise AssertionError(f"still going on: {wanted}")

    def record(self, event: e.Event) -> None:
        if admit(self.session, event):
            self.session = evolve(self.session, event)
            self.events.append(event)

    def resume(self, *events: e.Event) -> None:
        assert self.session.state is SessionState.PAUSED
        for event in (*events, e.SessionResumed(AT)):
            self.record(event)

    def _answer(self, effect: fx.Effect) -> e.Event:
        is_bad = self._mishaps > 0 and self.random.randrange(100) < self.trouble
        self._mishaps -= is_bad
        match effect:
            case fx.AwaitRun():
                usage = Usage(input_tokens=self.random.randint(0, self.most_tokens))
                told = (0, (), 0.0, Report(usage=usage))
                return e.RunExited(AT, effect.task, effect.run, int(is_bad), EndedBy.ITSELF, *told)
            case fx.ObserveWork() if self.session.tasks[effect.task].plan.type.is_read_only:
                return e.WorkObserved(AT, effect.task, effect.run, seen(changes=(), run_changed=False))
            case fx.RunCheck() if is_bad:
                return e.CheckFinished(AT, effect.task, effect.run, result(effect.check, CheckStatus.FAILED))
            case fx.MergeTask() if is_bad:
                return refusal(self.session, self.session.tasks[effect.task])
        return good_answer(self.session, effect)
