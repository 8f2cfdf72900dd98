"""Sessions to which everything happens that could: people, models and agents at their worst, in any order."""

from random import Random

from tests.support.books import check_books
from tests.support.planning import call, good_opinion
from tests.support.sessions import AT, good_answer, looked, planned, refusal, result, seen

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import PlannedTask
from toryo.domain.planning import Answer, Draft
from toryo.domain.report import Trouble
from toryo.domain.review import Judgement, Opinion, Remedy, Review
from toryo.domain.run import EndedBy
from toryo.domain.session import MODEL, Session, SessionState
from toryo.domain.task import TaskState
from toryo.rules.admit import admit
from toryo.rules.evolve import evolve
from toryo.rules.playbook import next_effects
from toryo.rules.taskbook import hopeless

NOTHING = seen(changes=(), run_changed=False)


class Walk:
    """A session to which everything happens that could, in any order; the books are checked after each step."""

    def __init__(self, session: Session, seed: int, trouble: int) -> None:
        self.session, self.random, self.trouble = session, Random(seed), trouble
        self.events: list[e.Event] = []
        self.made = 0

    def go(self, most: int) -> Session:
        for number in range(most):
            if self.session.state is SessionState.CLOSED:
                break
            calm = number > most * 2 // 3
            self.step(0 if calm else self.trouble)
        return self.session

    def step(self, trouble: int) -> None:
        wanted = sorted(next_effects(self.session), key=repr)
        asks = [effect for effect in wanted if isinstance(effect, fx.PlanningEffect)]
        assert len(asks) <= 1
        if trouble and self.random.randrange(100) < trouble:
            self.record(self.person())
        chosen = self.random.sample(wanted, min(len(wanted), self.random.randint(1, 3)))
        for event in [self.answer(effect, trouble) for effect in chosen]:
            self.record(event)
        if not wanted:
            self.record(self.decision())

    def record(self, event: e.Event | None) -> None:
        if event is None or not admit(self.session, event):
            return
        self.session = evolve(self.session, event)
        self.events.append(event)
        check_books(self.session)

    def new(self, count: int) -> tuple[PlannedTask, ...]:
        """Tasks as a model proposes them: they wait for each other and for what can still be waited for."""
        made: list[PlannedTask] = []
        gone = hopeless(self.session)
        old = [task.plan.key for task in self.session.tasks.values() if task.number not in gone]
        for _ in range(count):
            self.made += 1
            keys = [*(task.key for task in made), *old]
            needs = self.random.sample(keys, min(len(keys), self.random.randint(0, 2)))
            made.append(planned(f"X{self.made}", *needs))
        return tuple(made)

    def answer(self, effect: fx.Effect, trouble: int) -> e.Event:
        luck = self.random.randrange(100)
        number = getattr(effect, "task", None)
        if luck < trouble // 8 and not isinstance(effect, fx.BlockTask | fx.HoldSession):
            return e.EffectFailed(AT, type(effect).__name__, "no disk", AT + 1, number)
        good = good_opinion(self.session, effect)
        if luck < trouble and (bad := self.bad(effect, is_of_model=good is not None)):
            return bad
        return good or good_answer(self.session, effect)

    def bad(self, effect: fx.Effect, *, is_of_model: bool) -> e.Event | None:
        if is_of_model and not self.random.randrange(4):
            until = self.random.choice([0.0, AT + 60])
            return e.CallPostponed(AT, (call(Trouble.API),), "question", Trouble.API, "not now", until)
        match effect:
            case fx.ReviewWork(task=number, run=run):
                opinion = self.random.choice(list(Opinion))
                return e.WorkReviewed(AT, number, run, Review(opinion, "so"), (call(),))
            case fx.ReconsiderTask(task=number):
                return self.remedy(number)
            case fx.ConsiderSaying(saying=saying):
                numbers = list(self.session.tasks)
                some = self.random.sample(numbers, min(2, len(numbers)))
                changes = tuple((one, "in blue") for one in some)
                gone = tuple(self.random.sample(numbers, min(1, len(numbers))))
                tasks = [task for task in self.new(1) if not {self.session.keys[n] for n in task.depends_on} & {*gone}]
                return e.SayingConsidered(AT, (call(),), saying, "I see", changes, gone, tuple(tasks))
            case fx.JudgeSession(tip=tip):
                return e.SessionJudged(AT, (call(),), tip, Judgement(False, ("docs",)))
            case fx.AwaitRun():
                return e.RunExited(AT, effect.task, effect.run, 1, EndedBy.ITSELF)
            case fx.RunCheck():
                return e.CheckFinished(AT, effect.task, effect.run, result(effect.check, CheckStatus.FAILED))
            case fx.ObserveWork():
                return e.WorkObserved(AT, effect.task, effect.run, NOTHING)
            case fx.ProveSession():
                results = tuple(result(check.name, CheckStatus.FAILED) for check in self.session.checks)
                return e.SessionProven(AT, effect.tip, self.session.tip_tree, results)
            case fx.BisectMerges():
                return looked(self.session, self.random.choice([CheckStatus.PASSED, CheckStatus.FAILED]))
            case fx.MergeTask():
                return refusal(self.session, self.session.tasks[effect.task])
        return None

    def remedy(self, number: int) -> e.Event:
        remedy = self.random.choice(list(Remedy))
        task = self.session.tasks[number]
        gone = {self.session.tasks[one].plan.key for one in hopeless(self.session, task)}
        tasks = [new for new in self.new(2) if not gone & set(new.depends_on)]
        known = {new.key for new in tasks} | set(self.session.keys)
        tasks = [new for new in tasks if set(new.depends_on) <= known]
        if remedy is Remedy.REPLACE and not tasks:
            remedy = Remedy.ASK
        made = tuple(tasks) if remedy is Remedy.REPLACE else ()
        return e.TaskReconsidered(AT, number, remedy, "so", "advice", made, (call(),))

    def person(self) -> e.Event | None:
        """Something a person does in between, whether it makes sense now or not."""
        numbers = list(self.session.tasks)
        some = self.random.choice(numbers) if numbers else None
        events: list[e.Event | None] = [
            e.PersonSaid(AT, "make it blue"),
            e.SessionPaused(AT, "a person"),
            e.SessionResumed(AT),
            e.PlanApproved(AT, "a person"),
            e.PlanRejected(AT, "no", "a person"),
            e.QuestionsAnswered(AT, (Answer("Which file?", "a"),), "a person"),
            e.WishAdded(AT, "more", "a person"),
            e.PauseLifted(AT, MODEL),
            e.ParallelChanged(AT, self.random.randint(1, 4)),
            e.SayingConsidered(AT, (), 0, "out of turn"),
            e.TasksDrafted(AT, (), Draft((planned("T001"),))),
            e.TaskRetried(AT, some) if some else None,
            e.TaskApproved(AT, some, "a person") if some else None,
            e.TaskReconsidered(AT, some, Remedy.RETRY, "so", "x") if some else None,
            e.TaskReassigned(AT, some, "other") if some else None,
        ]
        return self.random.choice(events)

    def decision(self) -> e.Event | None:
        """What a session that rests is waiting for."""
        planning = self.session.planning
        match self.session.state:
            case SessionState.AWAITING_APPROVAL:
                return e.PlanApproved(AT, "a person")
            case SessionState.PAUSED:
                blocked = [task.number for task in self.session.tasks.values() if task.state is TaskState.BLOCKED]
                for number in blocked:
                    self.record(e.TaskRetried(AT, number))
                return e.SessionResumed(AT)
            case _ if planning and planning.open_questions:
                answers = tuple(Answer(question.text, "a") for question in planning.open_questions)
                return e.QuestionsAnswered(AT, answers, "a person")
        return None
