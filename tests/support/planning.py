"""Sessions that begin with an instruction, folded step by step from what the survey, a model and a person say."""

from typing import Any

from tests.support.sessions import AT, BASE, SESSION, TREE, a_session, after, evidence, finish, judge, planned, start

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.calls import CallRecord, Message, Speaker
from toryo.domain.evidence import Operation
from toryo.domain.plan import Check, PlannedTask, TaskType, Terms
from toryo.domain.planning import Answer, Document, Draft, Question, Score
from toryo.domain.report import Trouble, Usage
from toryo.domain.review import Judgement, Opinion, Remedy, Review
from toryo.domain.session import Session
from toryo.rules.evolve import evolve

CREW = tuple((str(kind), "crew") for kind in TaskType)
TESTS = Check("tests", "make test")
QUESTION = Question("Which file?", "it decides", ("a.txt", "b.txt"), "a.txt")


def call(trouble: Trouble | None = None, **more: Any) -> CallRecord:
    usual: dict[str, Any] = {"usage": Usage() if trouble else Usage(100, 10)}
    return CallRecord("question", "a model", AT, 1.0, **{**usual, **more}, trouble=trouble)


def turn(text: str = "what?", reply: str = "that") -> tuple[Message, ...]:
    return (Message(Speaker.USER, text), Message(Speaker.MODEL, reply))


# ── from an instruction to a plan ────────────────────────────────────────────


def instructed(instruction: str = "Add a greeting", **terms: Any) -> Session:
    """Just opened; nothing is known yet."""
    terms = {"crew": CREW, **terms}
    opened = e.SessionOpened(
        AT,
        SESSION,
        "A greeting",
        "",
        "main",
        BASE,
        TREE,
        "agent/greeting",
        Terms(**terms),
        instruction,
        "SPEC-0123abcd",
    )
    return evolve(None, opened)


def surveyed(session: Session, *checks: Check) -> Session:
    return after(session, e.RepositorySurveyed(AT, "A small repository.", ("Python",), checks))


def asked(session: Session, *questions: Question, **more: Any) -> Session:
    return after(session, e.QuestionsAsked(AT, (call(),), questions, turn("questions?", "{}"), **more))


def answered(session: Session, *texts: str) -> Session:
    assert session.planning is not None
    pairs = zip(session.planning.open_questions, texts, strict=False)
    answers = tuple(Answer(question.text, text) for question, text in pairs)
    return after(session, e.QuestionsAnswered(AT, answers, "a person"))


def written(session: Session, *documents: Document) -> Session:
    for document in documents or (Document.SPEC, Document.PLAN):
        text = f"# {document}\n"
        session = after(session, e.DocumentWritten(AT, (call(),), document, text, turn(document, text)))
    return session


def drafted(session: Session, *tasks: PlannedTask | str, **more: Any) -> Session:
    made = tuple(planned(task) if isinstance(task, str) else task for task in tasks)
    return after(session, e.TasksDrafted(AT, (call(),), Draft(made, **more), turn("tasks?", "{}")))


def scored(session: Session, points: int, *issues: str) -> Session:
    return after(session, e.DraftScored(AT, (call(),), Score(points, issues)))


def proposed(session: Session) -> Session:
    """The best draft becomes the plan that waits for approval."""
    assert session.planning is not None
    assert session.planning.best is not None
    best = session.planning.best
    return after(session, e.PlanProposed(AT, best.tasks, session.planning.checks, best.parallel))


def thought_through(*tasks: PlannedTask | str, points: int = 90, **terms: Any) -> Session:
    """Everything is known, and a draft is scored."""
    session = written(asked(surveyed(instructed(**terms))))
    return scored(drafted(session, *(tasks or ("T001",))), points)


def approved(*tasks: PlannedTask | str, **terms: Any) -> Session:
    """A plan made by a model, under way."""
    return after(proposed(thought_through(*tasks, **terms)), e.PlanApproved(AT, "a person"))


def postponed(session: Session, trouble: Trouble = Trouble.API, until: float = AT + 60, at: float = AT) -> Session:
    """The model did not answer."""
    return after(session, e.CallPostponed(at, (call(trouble),), "question", trouble, "not now", until))


def talking(turns: int, length: int = 400, **terms: Any) -> Session:
    """The model has said much."""
    session = surveyed(instructed(**terms))
    words = tuple(message for n in range(turns) for message in turn(f"q{n} " + "x" * length, f"a{n} " + "y" * length))
    return after(session, e.QuestionsAsked(AT, (call(),), (), words))


# ── opinions ─────────────────────────────────────────────────────────────────


def reviewed_session(*tasks: PlannedTask | str, **terms: Any) -> Session:
    """An approved plan whose work is reviewed, and whose failures are reconsidered twice."""
    return a_session(*tasks, **{"crew": CREW, "reviews": True, "replans": 2, **terms})


def review(session: Session, key: str, opinion: Opinion = Opinion.APPROVED, **more: Any) -> Session:
    task = session.task(key)
    said = Review(opinion, "so it seems", **more)
    record = evidence(task, Operation.REVIEW)
    return after(session, e.WorkReviewed(AT, task.number, task.runs[-1].id, said, (call(),), (record,)))


def wrong_way(session: Session, key: str) -> Session:
    """The review finds that going on would not help."""
    return judge(review(finish(start(session, key), key), key, Opinion.WRONG_WAY), key)


def reconsider(session: Session, key: str, remedy: Remedy, *tasks: PlannedTask, advice: str = "") -> Session:
    number = session.task(key).number
    return after(session, e.TaskReconsidered(AT, number, remedy, "so", advice, tasks, (call(),)))


def said(session: Session, words: str = "make it blue") -> Session:
    return after(session, e.PersonSaid(AT, words))


def considered(session: Session, changes: dict[str, str] | None = None, *cancel: str, tasks: Any = ()) -> Session:
    """What the model makes of the next of a person's words."""
    pairs = tuple((session.task(key).number, words) for key, words in (changes or {}).items())
    numbers = tuple(session.task(key).number for key in cancel)
    return after(session, e.SayingConsidered(AT, (call(),), session.considered, "I see", pairs, numbers, tuple(tasks)))


def judged(session: Session, is_complete: bool = True, *missing: str) -> Session:
    return after(session, e.SessionJudged(AT, (call(),), session.tip, Judgement(is_complete, missing)))


# ── a model that answers everything well ─────────────────────────────────────


def good_opinion(session: Session, effect: fx.Effect) -> e.Event | None:
    """What a performer reports about an effect that asks the model, when nothing goes wrong."""
    planning = session.planning
    match effect:
        case fx.SurveyRepository():
            return e.RepositorySurveyed(AT, "A small repository.")
        case fx.AskQuestions():
            return e.QuestionsAsked(AT, (call(),), (), turn())
        case fx.WriteDocument(document=document):
            return e.DocumentWritten(AT, (call(),), document, "# x\n", turn())
        case fx.DraftTasks():
            first = max(session.tasks, default=0) + 1
            made = (planned(f"N{first}"), planned(f"N{first + 1}", f"N{first}"))
            return e.TasksDrafted(AT, (call(),), Draft(made), turn())
        case fx.ScoreDraft():
            return e.DraftScored(AT, (call(),), Score(90))
        case fx.ProposePlan():
            assert planning is not None
            assert planning.best is not None
            return e.PlanProposed(AT, planning.best.tasks)
        case fx.CompactTalk():
            assert planning is not None
            return e.TalkCompacted(AT, (call(),), "in short", len(planning.talk) - 20)
        case fx.ReviewWork(task=number, run=run):
            return e.WorkReviewed(AT, number, run, Review(Opinion.APPROVED, "fine"), (call(),))
        case fx.ReconsiderTask(task=number):
            return e.TaskReconsidered(AT, number, Remedy.RETRY, "so", "try harder", (), (call(),))
        case fx.TakeInWords(sayings=sayings):
            return e.WordsTakenIn(AT, sayings)
        case fx.ConsiderSaying(saying=saying):
            return e.SayingConsidered(AT, (call(),), saying, "I see")
        case fx.JudgeSession(tip=tip):
            return e.SessionJudged(AT, (call(),), tip, Judgement(True))
    return None
